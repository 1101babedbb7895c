"""The API for trials: what a small two-arm design does, exactly."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from primum.lab.http.concurrency import FIGURE_SLOTS, in_slot
from primum.lab.http.schemas import Characteristics
from primum.policies import BesaPlus, Policy, Thompson, UniformRandom
from primum.trials import ConditionalExact, Design, PooledZ, exact

MOST_PATIENTS = 150  # about a second of computing
ALPHA = 0.05
ANALYSES = {
    test.name: test for test in (PooledZ(alpha=ALPHA, sided="greater"), ConditionalExact(alpha=ALPHA, sided="greater"))
}
POLICIES: dict[str, Policy] = {rule.name: rule for rule in (UniformRandom(), Thompson(), BesaPlus())}

Probability = Annotated[float, Query(ge=0, le=1)]
router = APIRouter(prefix="/api/trials")


@router.get("/characteristics", dependencies=in_slot(FIGURE_SLOTS))
def characteristics(
    policy: Annotated[
        Literal["uniform-random", "thompson", "besa-plus"], Query(description="allocates patients after the burn-in")
    ],
    analysis: Annotated[
        Literal["pooled-z", "conditional-exact"],
        Query(description="a one-sided test of level 5 % that the new is better"),
    ],
    p_control: Annotated[Probability, Query(description="success probability of the control")],
    p_new: Annotated[Probability, Query(description="success probability of the new treatment")],
    patients: Annotated[int, Query(ge=2, le=MOST_PATIENTS, description="in all")] = 100,
    burn_in: Annotated[
        int, Query(ge=0, le=MOST_PATIENTS // 2, description="patients of each arm before the policy")
    ] = 5,
) -> Characteristics:
    """Exact operating characteristics of a trial of a new treatment against a control, with outcomes 0 and 1."""
    design = Design(
        arms=["control", "new"],
        patients=patients,
        policy=POLICIES[policy],
        burn_in=burn_in,
        analysis=ANALYSES[analysis],
    )
    law = exact(design, progress=False)
    on_control, on_new = law.patients(p_control, p_new)
    return Characteristics(
        type_1=float(law.type_1(p_control)),
        largest_type_1=law.largest_type_1().value,
        power=float(law.reject(p_control, p_new)),
        patients_on_control=on_control,
        patients_on_new=on_new,
        successes=float(law.successes(p_control, p_new)),
    )
