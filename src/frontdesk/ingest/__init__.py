"""Ingestion: normalises webhooks, archives and exports to domain events and applies them."""
