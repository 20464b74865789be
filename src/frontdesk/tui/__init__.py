"""The viewer: screens and keys; the only place that knows Textual."""
