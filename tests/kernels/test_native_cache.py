"""Native code on disk: used by the next process, compiled again if damaged, and no obstacle where it cannot be kept."""

from __future__ import annotations

import hashlib
import os
import resource
import shutil
import stat
import subprocess
import sys
import tempfile

import numba
import pytest

from primum.errors import PrimumError
from primum.kernels import records
from primum.kernels.native import compiling, native_cache
from primum.store.private_folder import PrivateFolder

RUN = """
import primum
problem = primum.Problem({"a": "bernoulli(probability=0.5)", "b": "constant(value=0.4)"}, "mean")
results = primum.simulate(problem, ["uniform-random"], horizon=50, replications=2, seed=1, progress=False)
print(results.pulls.values[0, 0, -1].tolist())
"""


def run(cache, **environment):
    """The output and the log of a new process."""
    environment = os.environ | {"PRIMUM_CACHE": str(cache)} | environment
    done = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, check=True, env=environment)
    return done.stdout, done.stderr.splitlines()


@pytest.mark.slow
def test_native_code_is_kept_for_the_next_process(tmp_path):
    first, log = run(tmp_path)
    assert log == []
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.native")}
    assert kept
    assert run(tmp_path) == (first, [])
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.native")} == kept, "compiled again"


@pytest.mark.slow
def test_where_nothing_can_be_written_there_is_one_warning_and_no_temporary_folder(tmp_path, capsys):
    blocked, temporary = tmp_path / "file", tmp_path / "temporary"
    blocked.write_text("not a folder")
    temporary.mkdir()
    pulls, log = run(blocked, TMPDIR=str(temporary))
    assert len(log) == 1
    assert log[0].startswith("Native code is not kept, so later runs compile it again: ")
    assert list(temporary.iterdir()) == []
    exec(RUN, {})
    assert pulls == capsys.readouterr().out


def plus_one(x):
    return x + 1.0


def plus_two(x):
    return x + 2.0


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of our own, that takes the functions of this file for ours."""
    found = tmp_path / "native" / "fingerprint"
    monkeypatch.setattr(native_cache, "folder", lambda: found)
    monkeypatch.setattr(native_cache, "_logged", set())
    compiling._prepare()  # the kernels that are not ours are known as such
    monkeypatch.setattr(compiling, "is_ours", lambda function: True)
    return found


def is_loaded(function, given=1.0, expected=2.0):
    """Whether the code of a function, which must compute what is expected, comes from the disk."""
    dispatcher = compiling.compiled.__wrapped__(function)
    assert dispatcher(given) == expected
    return sum(dispatcher.stats.cache_hits.values()) == 1


def only_file(folder):
    (file,) = folder.iterdir()
    return file


def test_numba_uses_our_cache_for_functions_that_python_calls(folder):
    """It is attached by names that Numba may change."""
    assert not is_loaded(plus_one)
    assert only_file(folder).suffix == native_cache.SUFFIX, "Numba does not call NativeCache: see its Dispatcher"
    assert is_loaded(plus_one)


def test_numba_uses_our_cache_for_callbacks(folder):
    for hits in (0, 1):
        callback = compiling.native.__wrapped__(records.UNCONNECTED[2], "evaluate", 0, "records")
        assert callback.cache_hits == hits, "Numba does not call NativeCache: see its CFunc"
        assert only_file(folder).suffix == native_cache.SUFFIX


def test_each_signature_has_a_file(folder):
    assert not is_loaded(plus_one)
    assert not is_loaded(plus_one, 1, 2.0)
    assert len(list(folder.iterdir())) == 2
    assert is_loaded(plus_one)
    assert is_loaded(plus_one, 1, 2.0)


def test_functions_that_differ_only_in_what_they_capture_have_files_of_their_own(folder):
    def plus(y):
        return lambda x: x + y

    for expected in (False, True):
        assert [is_loaded(plus(y), 1.0, 1.0 + y) for y in (1.0, 2.0)] == [expected] * 2


def flip(file, content, place):
    file.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])


def with_checksum(file, code):
    """As if these bytes had been written as the code of `plus_one`."""
    context = numba.core.registry.cpu_target.target_context
    identity = native_cache.NativeCache(plus_one)._identity((numba.float64,), context.codegen())
    assert native_cache._file_name(identity, native_cache.SUFFIX) == file.name
    file.write_bytes(native_cache._checksum(identity, code) + code)


DAMAGE = {
    "a byte of the checksum": lambda file, content: flip(file, content, 5),
    "a byte in the middle": lambda file, content: flip(file, content, len(content) // 2),
    "the last byte": lambda file, content: flip(file, content, len(content) - 1),
    "an empty file": lambda file, content: file.write_bytes(b""),
    "half a checksum": lambda file, content: file.write_bytes(content[:16]),
    "a part": lambda file, content: file.write_bytes(content[:-100]),
    "more than there was": lambda file, content: file.write_bytes(content + b"\0"),
    "the checksum of the code alone": lambda file, content: file.write_bytes(
        hashlib.sha256(content[32:]).digest() + content[32:]
    ),
    "no pickle": lambda file, content: with_checksum(file, b"no pickle"),
    "a pickle of something else": lambda file, content: with_checksum(file, b"\x80\x04K\x01."),
    "a folder": lambda file, content: (file.unlink(), file.mkdir(), (file / "inner").touch()),
    "a link in a circle": lambda file, content: (file.unlink(), file.symlink_to(file)),
    "a link to a missing file": lambda file, content: (file.unlink(), file.symlink_to(file.with_name("missing"))),
    "a link to a copy": lambda file, content: file.symlink_to(file.rename(file.with_name("copy"))),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_code_is_compiled_again_and_replaced(folder, damage, caplog):
    is_loaded(plus_one)
    file = only_file(folder)
    DAMAGE[damage](file, file.read_bytes())
    assert not is_loaded(plus_one)
    (message,) = caplog.messages
    assert message.startswith(f"Cannot load the native code of {__name__}.plus_one, compiling it again: {file}: ")
    assert not file.is_symlink()
    assert is_loaded(plus_one)
    assert len(caplog.messages) == 1


def test_exchanged_files_are_noticed(folder, caplog):
    is_loaded(plus_one)
    one = only_file(folder)
    is_loaded(plus_two, 1.0, 3.0)
    (two,) = set(folder.iterdir()) - {one}
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)
    assert not is_loaded(plus_one)
    assert not is_loaded(plus_two, 1.0, 3.0)
    assert [message.rpartition(": ")[2] for message in caplog.messages] == ["wrong checksum"] * 2
    assert is_loaded(plus_one)
    assert is_loaded(plus_two, 1.0, 3.0)


def test_on_a_full_disk_code_is_compiled_without_being_kept(folder, caplog):
    """A limit of the size of a file stands for a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        assert not is_loaded(plus_one)
        assert not is_loaded(plus_two, 1.0, 3.0)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    (message,) = caplog.messages
    assert message.startswith("Native code is not kept, so later runs compile it again: cannot write ")
    assert list(folder.iterdir()) == []
    assert not is_loaded(plus_one)
    assert is_loaded(plus_one)


def test_a_read_only_folder_is_read(folder, monkeypatch, caplog):
    is_loaded(plus_one)

    def refuse(folder, name, content):
        raise PrimumError(f"cannot write {folder.path / name}: Read-only file system")

    monkeypatch.setattr(PrivateFolder, "write", refuse)
    assert is_loaded(plus_one)
    assert caplog.messages == []
    assert not is_loaded(plus_two, 1.0, 3.0)
    assert len(caplog.messages) == 1


@pytest.mark.parametrize("gone", [lambda folder: folder, lambda folder: folder.parent.parent])
def test_a_folder_that_another_process_removes_is_made_again(folder, gone, caplog):
    is_loaded(plus_one)
    shutil.rmtree(gone(folder))
    assert not is_loaded(plus_one)
    assert is_loaded(plus_one)
    assert caplog.messages == []


@pytest.mark.parametrize("which", [lambda folder: folder, lambda folder: folder.parent])
@pytest.mark.parametrize("mode", [0o770, 0o707])
def test_a_folder_that_others_can_write_to_is_not_used(folder, which, mode, caplog):
    is_loaded(plus_one)
    which(folder).chmod(mode)
    assert not is_loaded(plus_one)
    assert not is_loaded(plus_two, 1.0, 3.0)
    assert len(list(folder.iterdir())) == 1
    (message,) = caplog.messages
    assert f"other users can write to {which(folder)};" in message


def test_a_folder_of_another_user_is_not_used(folder, monkeypatch, caplog):
    is_loaded(plus_one)
    if os.geteuid() == 0:
        os.chown(folder, 1, -1)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert not is_loaded(plus_one)
    assert len(caplog.messages) == 1


def test_folders_are_made_for_their_owner_alone(folder):
    before = os.umask(0)
    try:
        is_loaded(plus_one)
    finally:
        os.umask(before)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder.parent, folder)] == [0o700, 0o700]


def test_of_the_folders_of_other_fingerprints_those_used_last_are_kept(folder):
    others = [folder.parent / f"old{i}" for i in range(15)]
    for age, other in enumerate(others):
        other.mkdir(parents=True)
        os.utime(other, (1e9 - age, 1e9 - age))
    folder.parent.chmod(0o700)
    is_loaded(plus_one)
    assert set(folder.parent.iterdir()) == {folder, *others[: native_cache.NATIVE_FOLDERS - 1]}


def test_a_folder_is_marked_as_used(folder):
    is_loaded(plus_one)
    os.utime(folder, (1e9, 1e9))
    assert is_loaded(plus_one)
    assert folder.stat().st_mtime > 1e9


ATTACK = """
import os, pickle, sys
from pathlib import Path
import numba
from primum.kernels.native import compiling
from primum.kernels.native import native_cache

shared, mode, user = Path(sys.argv[1]), int(sys.argv[2], 8), int(sys.argv[3])
folder = shared / "native-code" / "fingerprint"
native_cache.folder = lambda: folder
compiling._prepare()
compiling.is_ours = lambda function: True

def plus_one(x):
    return x + 1.0

def loads():
    dispatcher = compiling.compiled.__wrapped__(plus_one)
    assert dispatcher(1.0) == 2.0
    return sum(dispatcher.stats.cache_hits.values())

class Evil:
    def __reduce__(self):
        return os.mkdir, (str(shared / "taken-over"),)

loads()
(file,) = folder.iterdir()
context = numba.core.registry.cpu_target.target_context
identity = native_cache.NativeCache(plus_one)._identity((numba.float64,), context.codegen())
evil = pickle.dumps(Evil())
evil = native_cache._checksum(identity, evil) + evil
shared.chmod(mode)

def exchange():
    os.setgid(user)
    os.setuid(user)
    folder.parent.rename(shared / "moved")
    folder.mkdir(parents=True)
    (folder / file.name).write_bytes(evil)

def hook(event, arguments):
    if event == "open" and str(arguments[0]).endswith(file.name) and os.getpid() == victim and not exchanged:
        exchanged.append(True)
        child = os.fork()
        if child == 0:
            exchange()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0

victim, exchanged = os.getpid(), []
sys.addaudithook(hook)
print(loads(), len(exchanged), (shared / "taken-over").exists())
"""


@pytest.fixture
def shared():
    """A folder that other users reach, unlike those of pytest."""
    with tempfile.TemporaryDirectory() as found:
        yield found


def attacked(shared, mode, user):
    """Loads from the cache, exchanges of its folder between check and use, whether foreign code ran; and the log."""
    done = subprocess.run([sys.executable, "-c", ATTACK, shared, mode, str(user)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only the administrator can act as another user")
def test_another_user_who_exchanges_the_folder_runs_no_code(shared):
    output, log = attacked(shared, "777", 12345)
    assert output == "0 0 False"
    assert f"other users can rename what is in {shared};" in log


def test_what_is_read_is_in_the_folder_that_was_checked(shared):
    assert attacked(shared, "700", os.geteuid()) == ("1 1 False", "")
