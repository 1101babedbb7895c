"""The store: what is stored comes back, what is damaged does not, and no area exceeds its limit or evicts another."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from primum.errors import PrimumError
from primum.store import Store, content_store
from tests.read_only import make_read_only, python


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def files(store):
    return sorted(path for path in store.folder.rglob("*") if path.is_file())


def path_of(store, key):
    return store._path(content_store._name(key))


def used(store, key, seconds_ago):
    moment = time.time() - seconds_ago
    os.utime(path_of(store, key), (moment, moment))


def test_bytes_come_back_by_any_equal_key(store):
    store.put({"a": 1, "b": [1.5, "x"]}, b"content")
    assert store.get({"b": [1.5, "x"], "a": 1}) == b"content"
    assert store.get({"a": 1, "b": [1.5, "y"]}) is None
    assert Store(store.folder).get({"a": 1, "b": [1.5, "x"]}) == b"content"


def test_what_is_there_is_not_made_again(store):
    made = []
    for _ in range(2):
        assert store.get_or_compute("key", lambda: made.append(1) or b"") == b""
    assert len(made) == 1


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "swap"])
def test_a_damaged_file_counts_as_missing(store, damage):
    store.put("key", b"content" * 100)
    store.put("other", b"other content")
    path = path_of(store, "key")
    whole = bytearray(path.read_bytes())
    if damage == "cut":
        whole = whole[:-1]
    elif damage == "flip":
        whole[len(whole) // 2] ^= 1
    elif damage == "empty":
        whole = bytearray()
    else:  # a sound file in the wrong place
        whole = path_of(store, "other").read_bytes()
    path.write_bytes(whole)
    assert store.get("key") is None
    assert store.get_or_compute("key", lambda: b"again") == b"again"
    assert store.get("key") == b"again"


def test_a_store_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PrimumError, match="cannot write to the store .*file"):
        Store(tmp_path / "file").put("key", b"")
    assert Store(tmp_path / "file").get("key") is None
    assert not Store(tmp_path / "file").has("key")


def test_a_store_that_may_only_be_read_serves_what_it_has(store):
    store.put("key", b"content")
    make_read_only(store.folder)
    before = files(store)
    program = (
        "import sys\nfrom primum.store import Store\nstore = Store(sys.argv[1])\n"
        "print(store.get('key'), store.has('key'), store.get_or_compute('key', lambda: b'again'))\n"
        "print(store.get_or_compute('missing', lambda: b'made'), store.get_or_compute('another', lambda: b'made'))\n"
    )
    done = python(program, store.folder)
    assert done.stdout == "b'content' True b'content'\nb'made' b'made'\n"
    warning = f"cannot write to the store {store.folder}: Permission denied; what is computed is not stored"
    assert done.stderr.splitlines() == [warning], "once"
    assert files(store) == before


def test_processes_share_a_folder(tmp_path):
    program = "from primum.store import Store\nfor i in range(50): Store('store').put(i, bytes(10_000 + i))"
    workers = [subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path) for _ in range(2)]
    assert [worker.wait() for worker in workers] == [0, 0]
    assert all(Store(tmp_path / "store").get(i) == bytes(10_000 + i) for i in range(50))
    assert len(files(Store(tmp_path))) == 50, "nothing partial is left"


def test_a_partial_file_that_vanishes_while_another_is_written_does_no_harm(store):
    """A link to nowhere is listed and has no status, as a file that another process removes in between."""
    path = path_of(store, "key")
    path.parent.mkdir(parents=True)
    path.with_name(".gone.partial").symlink_to("nowhere")
    path.with_name("gone").symlink_to("nowhere")
    store.put("key", b"content")
    assert store.get("key") == b"content"
    store.trim(0)
    assert files(store) == []


@pytest.mark.parametrize("looks", range(1, 5))
def test_a_file_that_vanishes_while_it_is_written_again_does_no_harm(store, monkeypatch, looks):
    """Another process evicts it after some looks at it."""
    store.put("key", b"content")
    target, look, seen = path_of(store, "key").resolve(), Path.stat, []

    def vanishing(path, **options):
        about = look(path, **options)
        if path == target:
            seen.append(path)
            if len(seen) == looks:
                path.unlink()
        return about

    monkeypatch.setattr(Path, "stat", vanishing)
    store.put("key", b"content")
    monkeypatch.undo()
    assert store.get("key") == b"content"


def test_trimming_keeps_what_was_used_last(store):
    for age, key in enumerate("abcd"):
        store.put(key, bytes(1000))
        used(store, key, seconds_ago=100 - age)
    assert store.get("a") is not None, "now it is the one used last"
    store.trim(2 * (1000 + 32))
    assert [store.has(key) for key in "abcd"] == [True, False, False, True]
    store.trim(10_000)
    assert len(files(store)) == 2
    store.trim(0)
    assert files(store) == []


def test_trimming_leaves_alone_what_is_being_written_and_removes_what_was_abandoned(store):
    store.put("key", b"content")
    recent, old = (path_of(store, "key").with_name(f".{name}.partial") for name in ("recent", "old"))
    for partial, age in ((recent, 3000), (old, 4000)):
        partial.write_bytes(b"half")
        os.utime(partial, (time.time() - age,) * 2)
    store.trim(0)
    assert files(store) == [recent]
    Store(store.folder / "nowhere").trim(0)


def test_processes_trim_while_others_write(tmp_path):
    program = (
        "from primum.store import Store\n"
        "for i in range(100):\n    Store('store').put(i, bytes(1000))\n    Store('store').trim(5000)"
    )
    workers = [subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path) for _ in range(2)]
    assert [worker.wait() for worker in workers] == [0, 0]
    assert 1 <= len(files(Store(tmp_path))) <= 5


def test_an_area_stays_within_its_limit(tmp_path):
    limit, largest = 40_000, 0
    store = Store(tmp_path, limit=limit)
    for key in range(100):
        store.put(key, bytes(1000))
        used(store, key, seconds_ago=1000 - key)
        largest = max(largest, sum(path.stat().st_size for path in files(store)))
    assert 0.9 * limit < largest <= limit
    assert [store.has(key) for key in (0, 50, 70, 99)] == [False, False, True, True]


def test_a_new_process_trims_what_earlier_ones_left(tmp_path):
    for key in range(10):
        Store(tmp_path).put(key, bytes(1000))
    Store(tmp_path, limit=5000).put("new", bytes(1000))
    assert sum(path.stat().st_size for path in files(Store(tmp_path))) <= 5000


def test_one_area_cannot_evict_another_and_reads_from_it(tmp_path):
    mine, theirs = Store(tmp_path, area="mine"), Store(tmp_path, area="theirs", limit=5000)
    mine.put("shared", b"computed once")
    used(mine, "shared", seconds_ago=10_000)
    for key in range(50):
        theirs.put(key, bytes(1000))
    theirs.trim(0)
    assert mine.has("shared")
    assert theirs.has("shared")
    assert theirs.get_or_compute("shared", lambda: pytest.fail("it is in the other area")) == b"computed once"
    assert path_of(mine, "shared").stat().st_mtime > time.time() - 1000, "used by another area is used"
    path_of(theirs, "shared").parent.mkdir(parents=True, exist_ok=True)
    path_of(theirs, "shared").write_bytes(b"damaged")
    assert theirs.get("shared") == b"computed once"


def test_the_default_limit_can_be_set(monkeypatch, tmp_path):
    monkeypatch.delenv("PRIMUM_STORE_GB", raising=False)
    assert Store(tmp_path).limit == 4_000_000_000
    monkeypatch.setenv("PRIMUM_STORE_GB", "0.5")
    assert Store(tmp_path).limit == 500_000_000
    for wrong in ("much", "-1", "0", "nan", "inf"):
        monkeypatch.setenv("PRIMUM_STORE_GB", wrong)
        with pytest.raises(PrimumError, match=f"must be a positive number of gigabytes, got '{wrong}'"):
            Store(tmp_path)


def test_the_default_folder_is_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("PRIMUM_CACHE", str(tmp_path))
    Store().put("key", b"")
    assert [path.relative_to(tmp_path).parts[0] for path in files(Store())] == ["results"]
