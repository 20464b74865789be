"""Files of messages: which are to be fetched, and how one is fetched."""
