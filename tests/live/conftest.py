"""Journals for tests, in both stores."""

import pytest

from primum.live import live, software
from tests.live import journals


@pytest.fixture
def begin(tmp_path):
    """Starts trials in files of their own, and disconnects them in the end."""
    begun = []

    def begin(design, **options):
        begun.append(live.Live.start(design, tmp_path / f"trial-{len(begun)}.db", title="A trial", **options))
        return begun[-1]

    yield begin
    for each in begun:
        each.disconnect()


@pytest.fixture(params=journals.STORES)
def place(request, tmp_path):
    """Where a journal can be made."""
    if request.param == "sqlite":
        return str(tmp_path / "trial.db")
    return request.getfixturevalue("postgresql").new_database()


@pytest.fixture
def same_secret(monkeypatch):
    """Every trial that is started has the same secret, and so allocates the same."""
    monkeypatch.setattr(live.Secret, "new", classmethod(lambda cls: cls("5c" * 32)))


@pytest.fixture
def every_kind(place, same_secret, monkeypatch):
    """A journal with every kind of entry, and nobody connected to it."""
    with monkeypatch.context() as patch:
        patch.setattr(software, "_fingerprint", lambda design: "of older software, which decides the same")
        journals.start(place, clock=lambda: journals.BEGIN).disconnect()
    journals.write_every_kind(place)
    return place
