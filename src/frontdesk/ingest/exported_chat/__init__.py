"""WhatsApp's "Export chat": the text of one conversation as a phone writes it, in its language."""
