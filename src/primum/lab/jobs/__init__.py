"""Runs: the manager, the scheduler and the buffer of pulls."""
