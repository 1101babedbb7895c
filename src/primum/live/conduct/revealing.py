"""What the arm of one participant may reveal of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from primum.policies import PermutedBlocks, UniformRandom

if TYPE_CHECKING:
    from primum.live.conduct.participants import Enrolled
    from primum.live.state import State


def revealed_by(state: State, found: Enrolled) -> str:
    """What somebody who learns the arm of a participant may infer about others; it tells no arm of theirs.

    What a policy does with the outcomes is public, and so are blocks: only random kit codes keep the others blinded.
    """
    design, parts = state.design, []
    if state.settings.blinded:
        parts.append("Kit codes are random, so the kit tells nothing about other kits.")
    else:
        parts.append("The trial is not blinded.")
    in_burn_in = found.number <= design.forced
    if in_burn_in or isinstance(design.policy, PermutedBlocks):
        where = f" of the burn-in, the first {design.forced:,} participants" if in_burn_in else ""
        parts.append(
            f"Arms are balanced within blocks{where}, so this arm makes the other ones more likely for those who "
            "were enrolled shortly before or after, and certain for the last of a block whose other arms are known."
        )
    elif isinstance(design.policy, UniformRandom):
        parts.append("Each participant is allocated independently of the others, so this arm tells nothing about them.")
    else:
        parts.append(
            f"{design.policy.display_name} favours the arms that have done better, so this arm is a hint, but no "
            "proof, at which one is better so far, and at what participants enrolled about then received."
        )
    parts.append("Tell the arm only to those who treat this participant.")
    return " ".join(parts)
