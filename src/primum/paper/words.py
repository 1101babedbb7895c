"""Numbers and sentences that the page and its Markdown twin share."""

from __future__ import annotations

import math
from collections.abc import Iterable

from primum.paper.chapter import Chapter, Figure, Table
from primum.paper.claims import FAILS, HOLDS, IN_PART, Judgement, Part
from primum.paper.scale import Scale

TITLE = "Learning Modular Safe Policies in the Bandit Setting with Application to Adaptive Clinical Trials"
AUTHORS = "Hossein Aboutalebi, Doina Precup and Tibor Schuster"
ARXIV = "1903.01026"
MINUS = "\u2212"
VERDICTS = (HOLDS, IN_PART, FAILS)
MARKS = {HOLDS: "✓", IN_PART: "◐", FAILS: "✗"}
RULE = (
    "Every claim is judged by a rule that was written before the run, and every rule asks for one or more numbers. A "
    "part passes if the whole interval of its number lies where the claim needs it, fails if the whole interval lies "
    "elsewhere, and is open if only more replications could tell. The claim holds if every part passes, fails if every "
    "part fails, and holds in part otherwise."
)
QUICK = (
    "This is the quick scale: it has far fewer replications than the full one, so the intervals are wide and some "
    "parts stay open that the full scale decides."
)


def number(given: float, decimals: int | None = None) -> str:
    """A number for a reader, with four digits if nothing else is said.

    >>> number(12345.678), number(0.012345), number(-3.0, 1)
    ('12,346', '0.01235', '−3.0')
    """
    if not math.isfinite(given):
        return "not a number" if math.isnan(given) else "∞" if given > 0 else f"{MINUS}∞"
    if decimals is None:
        if given and not 1e-4 <= abs(given) < 1e9:
            return f"{given:.3e}".replace("-", MINUS)
        decimals = max(0, 3 - math.floor(math.log10(abs(given)))) if given else 0
        text = f"{given:,.{decimals}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
    else:
        text = f"{given:,.{decimals}f}"
    return text.replace("-", MINUS)


def effect(part: Part) -> str:
    """The number of a part, as exact as its interval allows."""
    return number(part.middle, _decimals(part))


def interval(part: Part) -> str:
    """Its interval: two digits of the width.

    >>> interval(Part("share", 0.1712, 0.1634, 0.1795, at_most=0.01))
    '0.163 to 0.179'
    """
    if part.low == part.middle == part.high:
        return "exact"
    return f"{number(part.low, _decimals(part))} to {number(part.high, _decimals(part))}"


def _decimals(part: Part) -> int | None:
    width = part.high - part.low
    if not (math.isfinite(width) and width > 0):
        return None
    decimals = max(0, 1 - math.floor(math.log10(width) + 1e-9))
    return decimals if decimals <= 6 else None


def deciding(judgement: Judgement) -> Part | None:
    """The part to show if there is room for one: the first that fails, else the first that is open, else the first."""
    order = {"fails": 0, "open": 1, "passes": 2}
    return min(judgement.parts, key=lambda part: order[part.outcome], default=None)


def tally(judgement: Judgement) -> str:
    """How many parts have which outcome."""
    outcomes = [part.outcome for part in judgement.parts]
    if len(outcomes) < 2:
        return ""
    if len(set(outcomes)) == 1:
        same = {"passes": "pass", "fails": "fail", "open": "are open"}[outcomes[0]]
        return f"{'both' if len(outcomes) == 2 else f'all {len(outcomes)}'} parts {same}"
    words = {"passes": ("passes", "pass"), "fails": ("fails", "fail"), "open": ("is open", "are open")}
    counts = [f"{outcomes.count(word)} {words[word][outcomes.count(word) > 1]}" for word in words if word in outcomes]
    return f"of {len(outcomes)} parts, {listed(counts)}"


def counted(judgements: Iterable[Judgement]) -> dict[str, int]:
    """How many claims have which verdict."""
    verdicts = [judgement.verdict for judgement in judgements]
    return {verdict: verdicts.count(verdict) for verdict in VERDICTS}


def verdict_word(verdict: str, count: int) -> str:
    """The verb for one claim or several: ``holds in part``, ``hold in part``."""
    first, _, rest = verdict.partition(" ")
    return " ".join(filter(None, (first if count == 1 else first.removesuffix("s"), rest)))


def evidence(judgement: Judgement) -> str:
    """Where the numbers come from."""
    if not judgement.runs:
        return "Computed, not simulated." if judgement.seed is None else f"Computed, with seed {judgement.seed}."
    seed = "" if judgement.seed is None else f", seed {judgement.seed}"
    return f"{judgement.runs:,} replication{'s' * (judgement.runs > 1)}{seed}."


def brief(exhibit: Figure | Table) -> str:
    """A title up to its colon."""
    return exhibit.title.partition(":")[0]


def size(scale: Scale) -> str:
    """What a scale means."""
    return (
        f"{scale.constant:,} replications of {scale.constant_horizon:,} steps for Figures 1 to 3, "
        f"{scale.environments:,} random environments with {scale.mixture:,} replications of "
        f"{scale.mixture_horizon:,} steps each for Figures 4 to 7, and {scale.clinical:,} replications of "
        f"{scale.clinical_horizon:,} steps for Figure 9."
    )


def sorted_judgements(chapters: Iterable[Chapter]) -> list[Judgement]:
    """Of all chapters, by the number of the claim."""
    return sorted((one for chapter in chapters for one in chapter.judgements), key=lambda one: one.claim.number)


def paragraphs(text: str) -> list[str]:
    """An empty line begins a new one."""
    parts = (" ".join(part.split()) for part in "\n".join(line.strip() for line in text.splitlines()).split("\n\n"))
    return [part for part in parts if part]


def listed(words: list[str]) -> str:
    """Words as a sentence has them: ``a, b and c``."""
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))
