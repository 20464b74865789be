"""Converts stored WhatsApp webhook bodies into events."""
