"""Mutation testing: small changes to `src` that some test should notice."""
