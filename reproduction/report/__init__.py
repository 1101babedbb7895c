"""The report: what it consists of, and its files as HTML, Markdown, figures and data."""

from reproduction.report.files import files
from reproduction.report.model import Chapter, Figure, Report, Table

__all__ = ["Chapter", "Figure", "Report", "Table", "files"]
