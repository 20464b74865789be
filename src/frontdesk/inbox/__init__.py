"""Model of the inbox: what is shown and requested, decided without a terminal or a server."""
