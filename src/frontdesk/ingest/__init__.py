"""Real events in: one pure normaliser, one apply step, and the doors that lead to them."""
