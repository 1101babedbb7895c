"""Validation, preview and cost of an experiment while it is typed."""
