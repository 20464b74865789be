"""HTTP server of the service: workers, supervisor, protocol limits, sockets."""
