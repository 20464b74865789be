"""Tests of the MCP server, driven by the client of the SDK."""
