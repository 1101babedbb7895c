"""The service of a live trial: its HTTP API and its pages."""
