"""Exports of a run: figures, tables, files and scripts."""
