"""Terminal viewer; the only package that uses Textual."""
