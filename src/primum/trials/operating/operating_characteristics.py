"""Operating characteristics of several designs in several scenarios: data, a table and figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from primum.results import provenance
from primum.store import Store
from primum.trials.analyses.analysis import percentage
from primum.trials.design import Design
from primum.trials.operating.characteristics import CHARACTERISTICS
from primum.trials.scenario import Scenario

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import Dataset

Figure = Literal["power", "allocation", "type-1", "trade-off", "size", "estimates", "drift"]


class OperatingCharacteristics:
    """What designs do in scenarios.

    `data` is a Dataset over design, scenario and arm: each characteristic, and its standard error as `*_error`. `exact`
    says, by design, scenario and characteristic, which of them are exact. Its `attrs`, like those of the table, have
    the `primum_version` and the `fingerprint` of the code that made them (see `Results`; all code of trials counts).
    """

    def __init__(
        self,
        designs: Mapping[str, Design],
        scenarios: Mapping[str, Scenario],
        data: Dataset,
        *,
        seed: int,
        replications: int,
        store: Store,
        is_complete: bool,
    ) -> None:
        self.designs, self.scenarios, self.data = dict(designs), dict(scenarios), data
        self.seed, self.replications, self.store = seed, replications, store
        self.is_complete = is_complete  # False after Ctrl-C

    def title(self, name: str, designs: Iterable[str]) -> str:
        """The title of a characteristic of some designs: that of coverage has the levels of their intervals."""
        if name != "coverage":
            return CHARACTERISTICS[name].title
        levels = dict.fromkeys(percentage(float(self.data["level"].sel(design=design))) for design in designs)
        return f"{CHARACTERISTICS[name].title}, {' and '.join(levels)} interval"

    def table(self) -> DataFrame:
        """The same for people: a row for each characteristic, with its standard error or "exact" in words."""
        from pandas import DataFrame

        rows = []
        for name, about in CHARACTERISTICS.items():
            whole, errors = self.data[name], self.data[f"{name}_error"]
            for place in np.ndindex(whole.shape):
                number, error = float(whole.values[place]), float(errors.values[place])
                if np.isnan(number):  # it has no meaning here
                    continue
                labels = [whole[dim].values[at] for dim, at in zip(whole.dims, place, strict=True)]
                inner = [_written(dim, label) for dim, label in zip(about.dims, labels[2:], strict=True)]
                is_exact = bool(self.data["exact"].sel(characteristic=name).values[place[:2]])
                rows.append(
                    {
                        "design": str(labels[0]),
                        "scenario": str(labels[1]),
                        "characteristic": ", ".join([self.title(name, [str(labels[0])]), *inner]),
                        "value": number,
                        "error": "exact" if is_exact else f"{error:.2g}",
                    }
                )
        table = DataFrame(rows)
        table.attrs.update(self.data.attrs)
        return table

    def picture(self, kind: Figure) -> Any:
        """A figure as data, with `static()` for Matplotlib and `interactive()` for Plotly."""
        from primum.trials.operating.figures import draw
        from primum.trials.operating.without_difference import without_difference

        return draw(without_difference(self, kind) if kind in ("type-1", "drift") else self, kind)

    def figure(self, kind: Figure = "power", *, interactive: bool = False) -> Any:
        """A figure: Matplotlib, or Plotly if `interactive`.

        - ``"power"``: how often a difference is declared, by scenario
        - ``"allocation"``: patients on each arm
        - ``"type-1"``: the type I error by the common probability of success, 0.01 to 0.99 (outcomes 0 and 1)
        - ``"trade-off"``: power against the share of patients on the best arm, a point per design
        - ``"size"``: patients enrolled
        - ``"estimates"``: bias and its interval
        - ``"drift"``: the type I error under a drift of growing size
        """
        picture = self.picture(kind)
        return picture.interactive() if interactive else picture.static()

    def __repr__(self) -> str:
        return (
            f"<OperatingCharacteristics: {len(self.designs)} designs, {len(self.scenarios)} scenarios, "
            f"{self.replications:,} trials each; seed {self.seed}; {provenance.described(self.data.attrs)}>"
        )


def _written(dim: str, coordinate: Any) -> str:
    return f"{coordinate:.0%}" if dim == "quantile" else str(coordinate)
