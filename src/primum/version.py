"""The version of Primum, in its only place; an installed package's metadata may be older than the code that runs."""

__version__ = "0.2.0.dev0"
