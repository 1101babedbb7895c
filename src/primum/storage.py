"""Results as netCDF files: pulls with named axes, and what they are about as JSON."""

from __future__ import annotations

import hashlib
import io
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


def pack(pulls: DataArray, about: dict[str, Any]) -> bytes:
    """The content of a file; equal results give equal bytes."""
    from xarray import Dataset

    text = json.dumps(about)
    attributes = {"format": FORMAT, "about": text, "checksum": _checksum(pulls, text)}
    encoding = {"pulls": {"zlib": True, "complevel": 4, "shuffle": True}}
    return bytes(Dataset({"pulls": pulls}, attrs=attributes).to_netcdf(engine="h5netcdf", encoding=encoding))


def unpack(content: bytes, source: str) -> tuple[DataArray, Any]:
    """The pulls in the content of a file, and what they are about; `source` names it in errors."""
    import xarray

    try:
        data = xarray.load_dataset(io.BytesIO(content), engine="h5netcdf")
    except Exception as error:  # a damaged file can make the reader fail in any way
        raise PrimumError(f"{source} is not a netCDF file, or it is damaged: {error}") from error
    if data.attrs.get("format") != FORMAT:
        raise PrimumError(f"{source} is a netCDF file, but not one that Primum saved (its format is not {FORMAT!r})")
    try:
        pulls, text = data["pulls"].transpose(*AXES), data.attrs["about"]
        sound = data.attrs["checksum"] == _checksum(pulls, text)
    except (KeyError, TypeError, ValueError) as error:
        raise PrimumError(f"{source} is damaged: {error}") from error
    if not sound:
        raise PrimumError(f"{source} is damaged: its checksum is wrong")
    return pulls, json.loads(text)


def write(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file, at once or not at all; an older one stays until the new one is complete."""
    target = writable(path)
    partial = target.with_name(_unused_name())
    try:
        partial.write_bytes(content)
        os.replace(partial, target)
    except OSError as error:
        raise PrimumError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        partial.unlink(missing_ok=True)


def read(path: str | os.PathLike[str]) -> bytes:
    """The content of a file."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError, TypeError) as error:  # a null character in the path, or no path at all
        raise PrimumError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


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
