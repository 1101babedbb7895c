"""The first page of the report: what was reproduced, what holds, what does not, and why it matters.

Every number and every verdict comes from the judgements, so that the prose is right at every scale.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from primum.text import listed
from reproduction.judgement import FAILS, HOLDS, IN_PART, UNDECIDED, Judgement
from reproduction.report.numbers import effect, interval
from reproduction.report.rendering import verdict_verb

# the claims that carry the paper, in the order of telling; which of them hold is up to the judgements
MAIN_CLAIMS = (25, 26, 15, 12, 16, 10, 8, 14, 6, 27, 18)
STUCK, LOGARITHM, ALL_OTHERS = 8, 10, 25


def opening(judgements: Iterable[Judgement]) -> dict[str, str]:
    """Paragraphs by their titles; each names the claims it is about."""
    known = {judgement.claim.number: judgement for judgement in judgements}
    return {
        "What was reproduced": _reproduced(known),
        "What holds": _group(known, (HOLDS,)),
        "What does not": _group(known, (FAILS, IN_PART, UNDECIDED)),
        "Why it matters": _why(known),
    }


def _reproduced(known: dict[int, Judgement]) -> str:
    simulated = sum(judgement.replications > 0 for judgement in known.values())
    return (
        "The paper proposes BESA+, a rule that chooses between treatments by duels on sub-samples and works with any "
        "safety value. We repeated its experiments with the same arms, values and policies, and examined its theorems, "
        f"definitions and the proof. Each of its {len(known)} claims has a rule that was written down before the full "
        f"run; simulation decides {simulated} of them, and exact computation the others."
    )


def _group(known: dict[int, Judgement], verdicts: Sequence[str]) -> str:
    """How many claims have these verdicts, and the numbers that decide the main ones."""
    counts = [(verdict, sum(each.verdict == verdict for each in known.values())) for verdict in verdicts]
    said = listed([f"{count} {verdict_verb(verdict, count)}" for verdict, count in counts if count])
    main = [known[number] for number in MAIN_CLAIMS if number in known and known[number].verdict in verdicts]
    if not said:
        return f"None of the {len(known)} claims."
    text = f"Of {len(known)} claims, {said}."
    return text + "".join(f"\n\n{_sentence(judgement)}" for judgement in main)


def _sentence(judgement: Judgement) -> str:
    part, claim = judgement.deciding, judgement.claim
    verdict = "" if judgement.verdict in (HOLDS, FAILS) else f", {judgement.verdict}"
    return f"{claim.short} (claim {claim.number}{verdict}). {_number(judgement)}; needed: {part.needs}."


def _number(judgement: Judgement) -> str:
    """The deciding number with its statement."""
    part = judgement.deciding
    return f"{part.statement[0].upper()}{part.statement[1:]}: {effect(part)} ({interval(part)})"


def _why(known: dict[int, Judgement]) -> str:
    texts = [
        "In a trial, a replication is a group of patients. A stuck replication gives nearly all of them the "
        "worse treatment, and a mean or a median over replications hides it: most do very well, and some as badly as "
        "possible."
    ]
    if STUCK in known:
        stuck = known[STUCK]
        ending = "not rare" if stuck.deciding.outcome == FAILS else "rare" if stuck.verdict == HOLDS else "not excluded"
        texts.append(f"On the paper's own example this is {ending} (claim {STUCK}). {_number(stuck)}.")
    if LOGARITHM in known and ALL_OTHERS in known:
        bound = "holds" if known[LOGARITHM].verdict == HOLDS else "does not hold"
        better = known[ALL_OTHERS].verdict == HOLDS
        texts.append(
            f"The bound that would exclude it {bound} (claim {LOGARITHM}). BESA+ is "
            f"{'still better than all its competitors' if better else 'not better than all its competitors'} on the "
            f"clinical data (claim {ALL_OTHERS}). Whoever runs a trial with it should choose the floor with the "
            "fraction of stuck trials in view, and report that fraction beside the mean."
        )
    return "\n\n".join(texts)
