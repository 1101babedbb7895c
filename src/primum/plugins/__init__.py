"""Plug-ins: names, declared parameters, spec text and descriptions."""
