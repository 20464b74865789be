"""Reads answers of servers whose fields deviate from the interface."""
