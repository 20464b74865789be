"""A terminal inbox for customer conversations held over WhatsApp numbers."""

__version__ = "0.2.0"
