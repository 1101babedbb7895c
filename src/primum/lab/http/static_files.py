"""The static files of the laboratory."""

from __future__ import annotations

from primum.web.static_files import StaticFiles

FILES = StaticFiles("primum.web", "primum.lab", plotly=True)
PAGES = {  # address -> file
    "/": "index.html",
    "/trials": "trials/index.html",
    "/learn": "learn/index.html",
    "/docs": "api-docs/index.html",
}
