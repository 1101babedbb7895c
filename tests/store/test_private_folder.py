"""Folders that other users cannot change or exchange."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest

from primum.errors import PrimumError
from primum.store.private_folder import private_folder

SOMEBODY = 12345
as_administrator = pytest.mark.skipif(os.geteuid() != 0, reason="only the administrator can give files to another user")


@pytest.fixture
def place():
    """A folder that other users can enter, unlike those of pytest; the private one will be `place/parent/ours`."""
    with tempfile.TemporaryDirectory() as found:
        place = Path(found)
        place.chmod(0o755)
        (place / "parent" / "ours").mkdir(parents=True)
        (place / "parent" / "ours").chmod(0o700)
        yield place


def refusal(path, own=1):
    """Why a folder is not used, or None."""
    try:
        with private_folder(path, own):
            return None
    except PrimumError as error:
        return str(error).partition(";")[0]


@pytest.mark.parametrize("mode", [0o755, 0o700, 0o1777, 0o1775])
def test_a_parent_in_which_others_cannot_rename_is_fine(place, mode):
    (place / "parent").chmod(mode)
    assert refusal(place / "parent" / "ours") is None


@pytest.mark.parametrize("mode", [0o777, 0o775, 0o757])
def test_a_parent_in_which_others_can_rename_is_refused(place, mode):
    parent = place / "parent"
    parent.chmod(mode)
    assert refusal(parent / "ours") == f"other users can rename what is in {parent}"
    place.chmod(0o700)  # they cannot reach it
    assert refusal(parent / "ours") is None
    assert refusal(parent / "ours", own=2) == f"other users can write to {parent}"


@pytest.mark.parametrize("mode", [0o1777, 0o770, 0o702])
def test_a_folder_of_ours_that_others_can_write_to_is_refused(place, mode):
    ours = place / "parent" / "ours"
    ours.chmod(mode)
    place.chmod(0o700)
    assert refusal(ours) == f"other users can write to {ours}"


@as_administrator
@pytest.mark.parametrize("mode", [0o700, 0o755, 0o1777])
def test_an_owner_can_always_rename(place, mode):
    parent = place / "parent"
    os.chown(parent, SOMEBODY, -1)
    parent.chmod(mode)
    assert refusal(parent / "ours") == f"other users can rename what is in {parent}"


@as_administrator
def test_a_folder_of_another_user_is_refused(place):
    ours = place / "parent" / "ours"
    os.chown(ours, SOMEBODY, -1)
    assert refusal(ours) == f"other users can write to {ours}"


@as_administrator
def test_folders_of_the_administrator_that_cannot_be_listed_are_fine(place):
    (place / "parent").chmod(0o711)
    os.chown(place / "parent" / "ours", SOMEBODY, -1)
    child = os.fork()
    if child == 0:
        os.setuid(SOMEBODY)
        os._exit(0 if refusal(place / "parent" / "ours") is None else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_link_counts_as_what_it_leads_to(place):
    (place / "link").symlink_to(place / "parent")
    assert refusal(place / "link" / "ours") is None
    (place / "parent").chmod(0o777)
    assert refusal(place / "link" / "ours") == f"other users can rename what is in {place / 'parent'}"


def test_a_link_put_there_after_the_path_was_resolved_is_not_followed(place, monkeypatch):
    ours = place / "parent" / "ours"
    ours.rename(place / "elsewhere")
    ours.symlink_to(place / "elsewhere")
    monkeypatch.setattr(os.path, "realpath", lambda path: path)
    with pytest.raises(OSError, match="Not a directory|symbolic links"), private_folder(ours, own=1):
        pass


def test_missing_folders_are_made_for_their_owner_alone(place):
    with pytest.raises(FileNotFoundError), private_folder(place / "new" / "inner", own=1):
        pass
    before = os.umask(0)
    try:
        with private_folder(place / "new" / "inner", own=1, make=True) as folder:
            folder.write("file", b"content")
    finally:
        os.umask(before)
    made = place / "new", place / "new" / "inner", place / "new" / "inner" / "file"
    assert [stat.S_IMODE(path.stat().st_mode) for path in made] == [0o700, 0o700, 0o600]
    assert made[-1].read_bytes() == b"content"


def spoil(file, how):
    if how == "a link":
        file.rename(file.with_name("copy"))
        file.symlink_to("copy")
    elif how == "a pipe":
        file.unlink()
        os.mkfifo(file)
    elif how == "a folder":
        file.unlink()
        file.mkdir()
    elif how == "of another user":
        os.chown(file, SOMEBODY, -1)
    else:
        file.chmod(0o666)


@pytest.mark.parametrize(
    "how", ["a link", "a pipe", "a folder", "open to all", pytest.param("of another user", marks=as_administrator)]
)
def test_only_ordinary_files_that_nobody_else_can_write_to_are_read(place, how):
    ours = place / "parent" / "ours"
    with private_folder(ours, own=1) as folder:
        folder.write("file", b"content")
        assert folder.read("file") == b"content"
        spoil(ours / "file", how)
        with pytest.raises((ValueError, OSError)):
            folder.read("file")
        folder.remove("file")
        assert "file" not in folder.names()
        folder.remove("file")


def test_what_is_written_is_there_at_once_or_not_at_all(place, monkeypatch):
    with private_folder(place / "parent" / "ours", own=1) as folder:
        folder.write("file", b"old")

        def refuse(*arguments, **named):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", refuse)
        with pytest.raises(PrimumError, match=r"cannot write .*/file: No space left on device"):
            folder.write("file", b"new")
        assert folder.names() == ["file"]
        assert folder.read("file") == b"old"


def test_names_are_in_the_order_of_change(place):
    with private_folder(place / "parent" / "ours", own=1) as folder:
        for age, name in enumerate("cab"):
            folder.write(name, b"")
            os.utime(folder.path / name, (1e9 - age, 1e9 - age))
        assert folder.names() == ["c", "a", "b"]
