"""Results as data for other programs: arrays on named axes, and long tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from primum.results import provenance

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import Dataset

    from primum.results.results import Results

MEASURES = ("regret", "best_arm_share", "worst_arm_share", "stuck")


def dataset(results: Results) -> Dataset:
    """Pulls and measures of a simulation: see `Results.to_dataset`."""
    from xarray import Dataset

    return Dataset(
        {name: getattr(results, name) for name in ("pulls", *MEASURES)},
        {"title": ("policy", results.titles), "gap": ("arm", results.problem.gaps)},
        {
            "spec": json.dumps(results.spec()),
            "seed": results.seed,
            "versions": json.dumps(results.versions),
            **provenance.marks(results.versions, results.fingerprint),
        },
    )


def frame(results: Results, arms: bool) -> DataFrame:
    """The same as a long table: see `Results.to_dataframe`."""
    from pandas import Categorical

    data = dataset(results)
    axes, names = (("replication", "step", "arm", "gap"), ("pulls",)) if arms else (("replication", "step"), MEASURES)
    table = data[list(names)].to_dataframe().reset_index()[["policy", "title", *axes, *names]]
    for name in ("policy", "title", "arm"):
        if name in table:
            table[name] = Categorical(table[name], data[name].values)
    table.attrs.update(data.attrs)
    return table
