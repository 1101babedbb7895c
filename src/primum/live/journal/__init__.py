"""The journal of a live trial: entries that form a chain of hashes, in SQLite or PostgreSQL."""
