"""Results as netCDF files: pulls with named axes, and the description of the run as JSON."""

from __future__ import annotations

import hashlib
import io
import json
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
    """The pulls in the content of a file, and the description of the run; `source` names it in errors."""
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


def _checksum(pulls: DataArray, text: str) -> str:
    names = json.dumps([pulls[axis].values.tolist() for axis in AXES])
    whole = hashlib.sha256(f"{text}\n{names}\n{pulls.shape}".encode())
    whole.update(np.ascontiguousarray(pulls.values, np.int32).data)
    return whole.hexdigest()
