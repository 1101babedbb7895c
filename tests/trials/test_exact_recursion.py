"""The native recursion over states against its twin in plain NumPy, and its chances against those of the policies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from primum import policies, trials, values
from primum.policies.counts import Counts
from primum.policies.native_chances import Step, native_chances
from primum.trials.exact_law import recursion
from primum.trials.exact_law.allocating import NOTHING
from primum.trials.exact_law.layer import Layer
from primum.trials.exact_law.moves import Moves
from tests.oracle import exact_recursion
from tests.problems import POLICIES
from tests.trials.counting_rules import _Gap, _Lopsided, _Urn

POSSIBLE = [policy for policy in POLICIES if policy.has_chances]
PATIENTS = 16
DESIGNS: dict[str, dict[str, Any]] = {
    "plain": {},
    "odd number of patients": {"patients": 15},
    "coin": {"coin": 0.3},
    "falling coin after a burn-in": {"coin": [0.8, 0.1], "burn_in": 3},
    "burn-in cut short": {"burn_in": 9},
    "blocks": {"blocks": 3, "coin": 0.2},
    "blocks that end early": {"blocks": [5, 9, 10, 11, 12, 13, 14, 15]},
    "delay": {"delay": trials.after_patients(3)},
    "delay, blocks, burn-in": {"delay": trials.after_patients(2), "blocks": 4, "burn_in": 1, "coin": 0.1},
    "looks": {"looks": [6, 9, 16], "stopping": _Gap()},
    "looks, delay, burn-in": {
        "looks": [3, 8],
        "stopping": _Gap(),
        "delay": trials.after_patients(1),
        "burn_in": 2,
        "coin": [0.0, 0.5],
    },
    "looks between blocks": {"looks": [4, 8], "stopping": _Gap(), "blocks": 4},
    "another value": {"value": values.MeanVariance(rho=1.0)},
}


@pytest.mark.parametrize("policy", [*POSSIBLE, _Lopsided(), _Urn()], ids=lambda policy: policy.label)
def test_the_native_recursion_is_the_one_in_plain_numpy(policy: policies.Policy) -> None:
    for name, changes in DESIGNS.items():
        analysis = None if "stopping" in changes else trials.PooledZ()
        parts: dict[str, Any] = {"patients": PATIENTS, "analysis": analysis} | changes
        design = trials.Design(arms=["control", "new"], policy=policy, **parts)
        native, plain = recursion.run(design), exact_recursion.run(design)
        assert set(native) <= set(plain), name
        assert sum(table.sum() for table in native.values()) == pytest.approx(1, abs=1e-12), name
        for key, table in plain.items():
            found = native.get(key, np.zeros_like(table))  # tables without states may be left out
            np.testing.assert_allclose(found, table, rtol=1e-10, atol=1e-18, err_msg=f"{name}: {key}")


VALUES = [values.Mean(), values.MeanVariance(rho=1.0), values.CVaR(alpha=0.3), values.Formula("mean - std + prob(0.4)")]


@pytest.mark.parametrize("coin", [0.0, 0.4])
@pytest.mark.parametrize("policy", POSSIBLE, ids=lambda policy: policy.label)
def test_native_chances_are_the_chances_of_the_policy(policy: policies.Policy, coin: float) -> None:
    """Of a layer whose cells are all 1 the next patient's arm 1 gets its chances."""
    for value in VALUES[:1] if policy.own_value else VALUES:
        design = trials.Design(
            arms=["control", "new"], patients=40, policy=policy, value=value, analysis=trials.PooledZ()
        )
        moves = Moves(design)
        for known in (0, 1, 2, 5, 8, 23):
            for late, enrolled in ((0, known), (2, known + 3)):
                moves.begin(enrolled, known)
                layer, control, treated = (Layer(known, known) for _ in range(3))
                for pulls in range(known + 1):
                    layer.add(pulls, np.ones((known - pulls + 1, pulls + 1)))
                moves.allocate(layer, None, late, coin, [(control, NOTHING), (treated, NOTHING)])
                for pulls in range(known + 1):
                    counts = counts_of(design, known - pulls, pulls, enrolled, late)
                    expected = coin / 2 + (1 - coin) * policy.chances(counts)
                    shape = known - pulls + 1, pulls + 1
                    found, other = treated.table(pulls), control.table(pulls)
                    np.testing.assert_allclose(found, np.broadcast_to(expected, shape), rtol=1e-11, atol=1e-11)
                    assert ((found >= 0) & (other >= 0)).all()
                    np.testing.assert_allclose(found + other, np.ones(shape), rtol=1e-15)
                    assert treated.reached[pulls] or not found.any()
                    assert control.reached[pulls] or not other.any()


def counts_of(design: trials.Design, first: int, second: int, enrolled: int, late: int) -> Counts:
    assigned = enrolled - second - late, second + late
    return Counts(assigned, (first, second), design.patients, design.inner_value)


@dataclass(frozen=True)
class _Cautious(policies.BesaPlus):
    """BESA+ at half of its decisions, by other `chances`; with an underscore it is not registered."""

    def chances(self, counts: Any) -> Any:
        return 0.25 + super().chances(counts) / 2


def test_a_derived_class_with_other_chances_has_none_of_its_base_that_are_native() -> None:
    at = Step(5, 20, values.Mean())
    assert native_chances(policies.BesaPlus(), at) is not None
    assert native_chances(_Cautious(), at) is None
    design = trials.Design(arms=["control", "new"], patients=10, policy=_Cautious(), analysis=trials.PooledZ())
    native, plain = recursion.run(design), exact_recursion.run(design)
    for key, table in plain.items():
        np.testing.assert_allclose(native[key], table, rtol=1e-12, atol=0)


def test_tables_that_no_state_reaches_are_left_out() -> None:
    design = trials.Design(
        arms=["control", "new"], patients=12, policy=policies.RoundRobin(), analysis=trials.PooledZ()
    )
    assert [counts for counts, _ in recursion.run(design)] == [(6, 6)]
    assert [counts for counts, _ in recursion.run(design.replace(coin=0.1))] != [(6, 6)]
