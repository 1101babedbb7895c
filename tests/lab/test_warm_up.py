"""What is done before anybody waits for it."""

from __future__ import annotations

import pytest

from primum.kernels.native import compiling
from primum.lab import warm_up
from primum.lab.drafts.presets import OPENING, preset
from primum.lab.jobs.limits import Limits
from primum.lab.jobs.manager import JobManager, id_of
from primum.store import Store


@pytest.mark.parametrize("is_first", [True, False])
def test_the_first_start_says_that_it_compiles(manager, monkeypatch, capsys, is_first):
    monkeypatch.setattr(compiling, "has_native_code", lambda: not is_first)
    warm_up.prepare(manager)
    assert manager.status(id_of(preset(OPENING, {}))).state == "finished"
    told = capsys.readouterr().err
    assert told == ("Compiling (first start only, about 30 s) ...\n" if is_first else "")


def test_native_code_is_found_once_something_was_compiled(manager):
    warm_up.prepare(manager)
    assert compiling.has_native_code()


def test_limits_that_are_too_small_for_the_first_experiment_are_no_obstacle(tmp_path, capsys):
    manager = JobManager(Store(tmp_path / "store"), Store(tmp_path / "questions"), Limits(seconds=1e-6))
    warm_up.prepare(manager)
    manager.close()
    assert "Cannot run the first experiment: this run needs about" in capsys.readouterr().err.replace("\n", " ")
