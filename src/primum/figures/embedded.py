"""A static figure inside a page."""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Embedded:
    """A picture as a page shows it: an SVG file."""

    svg: bytes

    @property
    def image(self) -> str:
        """The SVG file in Base64."""
        return base64.b64encode(self.svg).decode()

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels; Matplotlib gives points."""
        found = [re.search(rb'<svg[^>]*? %s="([0-9.]+)pt"' % side, self.svg) for side in (b"width", b"height")]
        width, height = (round(float(match[1]) * 96 / 72) if match else 0 for match in found)
        return width, height


@dataclass(frozen=True)
class Drawn:
    """A figure on a page, with its name among the files."""

    name: str
    caption: str
    picture: Embedded
