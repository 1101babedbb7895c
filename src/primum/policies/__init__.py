"""Policies: who chooses."""
