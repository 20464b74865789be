"""The model of the inbox, without a terminal."""
