"""Screens of contacts, catalogues, templates and the server."""
