"""Kinds of figures, each described as a scene."""
