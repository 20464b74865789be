"""Files of messages in the service: the fetcher, upkeep, and answers."""
