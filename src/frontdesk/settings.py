"""Where frontdesk keeps its files on this machine, and the key from the environment."""
