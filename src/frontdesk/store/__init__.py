"""Database access: all SQL of the service, for SQLite and PostgreSQL."""
