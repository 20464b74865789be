"""Tests of what names, queries and ids select."""
