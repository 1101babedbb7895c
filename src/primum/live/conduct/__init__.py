"""The conduct of a live trial: what happens to participants, and how it ends."""
