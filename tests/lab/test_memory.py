"""Freed memory goes back to the system."""

from __future__ import annotations

import platform
import sys
from types import SimpleNamespace

import pytest

from primum.lab import memory


def test_memory_is_trimmed_only_while_no_run_is_in_progress(monkeypatch):
    loads, trimmed = [1, 0, 2, 0, 0], []

    def load():
        if not loads:
            raise InterruptedError
        return {"runs": loads.pop(0)}

    monkeypatch.setattr(memory, "INTERVAL_SECONDS", 0)
    monkeypatch.setattr(memory, "malloc_trim", lambda: lambda: trimmed.append(len(loads)))
    with pytest.raises(InterruptedError):
        memory.trim_when_idle(SimpleNamespace(load=load))
    assert trimmed == [3, 1, 0]


def test_where_memory_cannot_be_trimmed_nothing_is_done(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert memory.malloc_trim() is None
    memory.trim_when_idle(None)


def test_memory_can_be_trimmed_where_there_is_glibc():
    trim = memory.malloc_trim()
    assert (trim is not None) == (sys.platform == "linux" and platform.libc_ver()[0] == "glibc")
    if trim is not None:
        assert isinstance(trim(), bool)
