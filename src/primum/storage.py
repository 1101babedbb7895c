"""Results as netCDF files: pulls with named axes, and what they are about as JSON."""

from __future__ import annotations

import hashlib
import json
import os
import uuid
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.errors import PrimumError

if TYPE_CHECKING:  # at run time it is imported where it is used: it takes more than half a second
    from xarray import DataArray

FORMAT = "primum-results-1"
AXES = ("policy", "replication", "step", "arm")


def write(path: str | os.PathLike[str], pulls: DataArray, about: dict[str, Any]) -> None:
    """Write a file, at once or not at all; an older one stays until the new one is complete."""
    from xarray import Dataset

    target = writable(path)
    text = json.dumps(about)
    attributes = {"format": FORMAT, "about": text, "checksum": _checksum(pulls, text)}
    encoding = {"pulls": {"zlib": True, "complevel": 4, "shuffle": True}}
    partial = target.with_name(_unused_name())
    try:
        Dataset({"pulls": pulls}, attrs=attributes).to_netcdf(partial, engine="h5netcdf", encoding=encoding)
        os.replace(partial, target)
    except (OSError, ValueError) as error:  # a ValueError: a name that netCDF cannot hold
        raise PrimumError(f"cannot write {path}: {error}") from error
    finally:
        partial.unlink(missing_ok=True)


def read(path: str | os.PathLike[str]) -> tuple[DataArray, Any]:
    """The pulls in a file, and what they are about."""
    import xarray

    try:
        with open(path, "rb"):
            pass
    except (OSError, ValueError, TypeError) as error:  # a null character in the path, or no path at all
        raise PrimumError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None
    try:
        data = xarray.load_dataset(path, engine="h5netcdf")
    except Exception as error:  # a damaged file can make the reader fail in any way
        raise PrimumError(f"{path} is not a netCDF file, or it is damaged: {error}") from error
    if data.attrs.get("format") != FORMAT:
        raise PrimumError(f"{path} is a netCDF file, but not one that Primum saved (its format is not {FORMAT!r})")
    try:
        pulls, text = data["pulls"].transpose(*AXES), data.attrs["about"]
        sound = data.attrs["checksum"] == _checksum(pulls, text)
    except (KeyError, TypeError, ValueError) as error:
        raise PrimumError(f"{path} is damaged: {error}") from error
    if not sound:
        raise PrimumError(f"{path} is damaged: its checksum is wrong")
    return pulls, json.loads(text)


def writable(path: str | os.PathLike[str]) -> Path:
    """The file that a path stands for, links followed, or a PrimumError if it could not be written."""
    try:
        target = Path(path).resolve()
        if target.exists() and not target.is_file():  # to replace a device or a directory would do harm
            raise PrimumError(f"cannot write {path}: it exists and is not an ordinary file")
        probe = target.with_name(_unused_name())
        probe.touch(exist_ok=False)
        probe.unlink()
    except (OSError, ValueError, RuntimeError) as error:  # a RuntimeError: links in a circle
        raise PrimumError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from None
    return target


def _unused_name() -> str:
    return f".{uuid.uuid4().hex}.partial"


def _checksum(pulls: DataArray, text: str) -> str:
    names = json.dumps([pulls[axis].values.tolist() for axis in AXES])
    whole = hashlib.sha256(f"{text}\n{names}\n{pulls.shape}".encode())
    whole.update(np.ascontiguousarray(pulls.values, np.int32).data)
    return whole.hexdigest()
