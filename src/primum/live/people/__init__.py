"""The people of a live trial: their roles, and how they get, show and lose access."""
