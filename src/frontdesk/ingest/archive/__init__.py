"""Imports and exports archives of an inbox."""
