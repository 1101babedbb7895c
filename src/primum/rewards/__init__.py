"""Reward distributions: where rewards come from."""
