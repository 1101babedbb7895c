"""Primum: a laboratory for safety-aware bandits."""
