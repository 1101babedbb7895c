"""The data of figures on named axes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:  # takes half a second
    from pandas import DataFrame
    from xarray import Dataset


def axis(label: str) -> str:
    """The name of an axis that files can have: ``number_of_arms`` for "Number of arms"."""
    return re.sub(r"\W+", "_", label.lower()).strip("_") or "x"


def dataset(
    title: str,
    subtitle: str,
    coordinates: Mapping[str, tuple[str | tuple[str, ...], Any, str]],
    variables: Mapping[str, tuple[tuple[str, ...], Any, str]],
) -> Dataset:
    """A dataset of variables: name, then dimensions, numbers and description."""
    from xarray import Dataset

    def named(parts: Mapping[str, tuple[Any, Any, str]]) -> dict[str, Any]:
        return {name: (dims, np.asarray(array), {"long_name": text}) for name, (dims, array, text) in parts.items()}

    return Dataset(named(variables), named(coordinates), {"title": title, "subtitle": subtitle})


def estimates(dims: tuple[str, ...], middle: Any, low: Any, high: Any, text: str) -> dict[str, Any]:
    """The three variables of numbers with intervals."""
    return {
        "middle": (dims, middle, text),
        "low": (dims, low, f"{text}, lower end of the interval"),
        "high": (dims, high, f"{text}, upper end of the interval"),
    }


def frame(data: Dataset) -> DataFrame:
    """A dataset as rows; arrays with other axes follow in rows of their own."""
    import pandas

    groups: dict[tuple[Any, ...], list[Any]] = {}
    for name, array in data.data_vars.items():
        groups.setdefault(array.dims, []).append(name)
    tables = [data[names].to_dataframe(dim_order=list(axes)).reset_index() for axes, names in groups.items() if axes]
    if len(tables) == 1:
        return tables[0]
    return pandas.concat([table.astype(object) for table in tables], ignore_index=True)
