"""For all tests: profiles of Hypothesis, a registry of their own, and Ctrl-C where a test sends it."""

import signal

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from primum.plugins import registry
from primum.runs.executors import available_threads

# The same examples each time, or, in make test-long, new ones and more; the first call of something may compile it.
MORE = 20
settings.register_profile("primum", deadline=None, derandomize=True)
settings.register_profile(
    "random", derandomize=False, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("primum")


def pytest_xdist_auto_num_workers():
    """One more than there are processors, because some tests wait for a browser."""
    return available_threads() + 1


def pytest_addoption(parser):
    parser.addoption("--write-sentences", action="store_true", help="write the sentences of errors in these tests anew")


def pytest_collection_modifyitems(items):
    """Mark what `make test-fast` leaves out: browsers, processes, statistics, and all but the first parameters."""
    seen = set()
    for item in items:
        used = getattr(item, "fixturenames", ())
        if "chromium" in used:
            item.add_marker("browser")
        starts_processes = hasattr(getattr(item, "module", None), "subprocess")
        if "undisturbed" in used or "statistical" in item.path.parts or starts_processes:
            item.add_marker("slow")
        if not any(map(item.get_closest_marker, ("browser", "slow", "long"))):
            test = item.nodeid.partition("[")[0]
            if test in seen:
                item.add_marker("again")
            seen.add(test)
    if settings.get_current_profile_name() == "random":
        tests = {item.obj for item in items if is_hypothesis_test(getattr(item, "obj", None))}
        for test in tests:  # each once, whatever its parameters
            own = test._hypothesis_internal_use_settings
            test._hypothesis_internal_use_settings = settings(own, max_examples=MORE * own.max_examples)


@pytest.fixture(autouse=True)
def own_registry(monkeypatch):
    """What a test defines is gone after it, whatever the order of tests."""
    monkeypatch.setattr(registry, "_classes", {family: dict(known) for family, known in registry._classes.items()})


@pytest.fixture
def fresh_registry(own_registry, monkeypatch):
    """Only what is built in, as in a new process: tests define classes of the same names."""
    built_in = {
        family: {name: cls for name, cls in known.items() if cls.__module__.startswith("primum.")}
        for family, known in registry._classes.items()
    }
    monkeypatch.setattr(registry, "_classes", built_in)


@pytest.fixture
def interruptible():
    """SIGINT raises KeyboardInterrupt here and in child processes, even in a background job, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
