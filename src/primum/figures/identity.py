"""The colours, typefaces and top bar of every page: laboratory, documents and reports."""

from __future__ import annotations

from importlib import resources


def identity_css() -> str:
    """The style sheet that all pages begin with."""
    return resources.files("primum.figures").joinpath("identity.css").read_text()
