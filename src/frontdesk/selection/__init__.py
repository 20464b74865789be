"""Selection of conversations, threads and rows of catalogues by names, queries and ids.

The shell and the MCP server read an inbox through it.
"""
