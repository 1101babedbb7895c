"""The report on designs for a review board: a page, figures, tables, and the file that reproduces it."""

from primum.trials.reporting.report import report

__all__ = ["report"]
