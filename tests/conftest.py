"""Hypothesis tries the same examples each time, and takes no offence at a first call that compiles."""

from hypothesis import settings

settings.register_profile("primum", deadline=None, derandomize=True)
settings.load_profile("primum")
