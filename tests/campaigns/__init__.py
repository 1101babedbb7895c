"""Attacks on the software: the short form of each is a test, the long one is run by hand.

    python -m tests.campaigns [NAME ...] [--rounds N | --times N] [--seed S] [--write]

A campaign is a module here with `SHORT` and `LONG`, numbers of rounds, and `run(rounds, seed)`, which raises an
AssertionError that names the round where something breaks, and returns figures by name. `--write` writes the figures of
the long form to README.md beside this file. `make test-long` runs ten times the short form of each.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

NAMES = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith(("_", "test_")))


def campaign(name: str) -> Any:
    """The module of a campaign."""
    return importlib.import_module(f"{__name__}.{name}")
