"""Webhooks of WhatsApp: receiver, secrets, background worker."""
