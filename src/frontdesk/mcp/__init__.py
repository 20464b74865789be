"""MCP server: a read-only inbox as tools for language models, over standard input and output."""
