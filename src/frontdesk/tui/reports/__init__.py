"""Report screen: query, tables and plots."""
