"""The `/v1` read interface over a store."""
