"""Lists as tables: their columns, and the formats that rows are written in."""
