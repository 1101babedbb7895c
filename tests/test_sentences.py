"""The file of sentences has those of tests that exist, and a sentence that changes is noticed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import sentences

ROOT = Path(__file__).parents[1]


def test_every_sentence_is_of_a_test_that_exists():
    for test in json.loads(sentences.FILE.read_text()):
        module, _, name = test.partition("::")
        assert f"def {name.partition('[')[0]}(" in (ROOT / module).read_text(), test


def test_another_sentence_is_noticed_and_can_be_written(monkeypatch, tmp_path):
    monkeypatch.setattr(sentences, "FILE", tmp_path / "sentences.json")
    sentences.FILE.write_text("{}")
    one, writing = (sentences.Sentences("tests/test_x.py::test_y", writes) for writes in (False, True))
    with pytest.raises(AssertionError):
        one.check("size must be positive")
    writing.check("size must be positive")
    one.check("size must be positive")
    with pytest.raises(AssertionError):
        one.check("size must be negative")
