"""Kinds of figures, each with an interactive and a static renderer."""
