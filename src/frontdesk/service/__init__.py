"""Read-only `/v1` HTTP service over a store."""
