"""Importer of WhatsApp's "Export chat" files, which are plain text in the phone's language."""
