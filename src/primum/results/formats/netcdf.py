"""Results as netCDF files: pulls with named axes, and the description of the run as JSON."""

from __future__ import annotations

import hashlib
import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.errors import PrimumError, shortened

if TYPE_CHECKING:  # at run time it is imported where it is used: it takes more than half a second
    from xarray import DataArray

FORMAT = "primum-results-2"
EARLIER_FORMAT = "primum-results-1"  # the same, with a checksum among its attributes instead of the seal
SEAL_BYTES = 32  # the SHA-256 of the netCDF file, after its end, where other programs do not look
AXES = ("policy", "replication", "step", "arm")


def pack(pulls: DataArray, about: dict[str, Any]) -> bytes:
    """The content of a file; equal results give equal bytes."""
    from xarray import Dataset

    attributes = {"format": FORMAT, "about": json.dumps(about)}
    encoding = {"pulls": {"zlib": True, "complevel": 4, "shuffle": True}}
    content = bytes(Dataset({"pulls": pulls}, attrs=attributes).to_netcdf(engine="h5netcdf", encoding=encoding))
    return content + _seal(content)


def unpack(content: bytes, source: str) -> tuple[DataArray, Any]:
    """The pulls in the content of a file, and the description of the run; `source` names it in errors."""
    import xarray

    sealed = content[-SEAL_BYTES:] == _seal(memoryview(content)[:-SEAL_BYTES])
    if not sealed and EARLIER_FORMAT.encode() not in content:  # the reader can hang on a damaged file
        raise PrimumError(f"{source} is damaged, or not a file of results that Primum saved")
    try:
        data = xarray.load_dataset(io.BytesIO(content), engine="h5netcdf")
        pulls, text = data["pulls"].transpose(*AXES), data.attrs["about"]
        known = FORMAT if sealed else EARLIER_FORMAT
        sound = data.attrs["format"] == known and (sealed or data.attrs["checksum"] == _earlier_checksum(pulls, text))
        about = json.loads(text)
    except Exception as error:  # a damaged file can make the reader fail in any way
        raise PrimumError(f"{source} is damaged: {shortened(str(error))}") from error
    if not sound:
        raise PrimumError(f"{source} is damaged: its checksum is wrong")
    return pulls, about


def _seal(content: bytes | memoryview) -> bytes:
    return hashlib.sha256(content).digest()


def _earlier_checksum(pulls: DataArray, text: str) -> str:
    names = json.dumps([pulls[axis].values.tolist() for axis in AXES])
    whole = hashlib.sha256(f"{text}\n{names}\n{pulls.shape}".encode())
    whole.update(np.ascontiguousarray(pulls.values, np.int32).data)
    return whole.hexdigest()
