"""Numbers and sentences that the page and its Markdown twin share."""

from __future__ import annotations

import math
from collections.abc import Iterable

from primum.paper.chapter import Chapter, Figure, Table
from primum.paper.claims import FAILS, HOLDS, IN_PART, UNDECIDED, Judgement, Part
from primum.paper.scale import Scale
from primum.paper.showing import number
from primum.text import listed

TITLE = "Learning Modular Safe Policies in the Bandit Setting with Application to Adaptive Clinical Trials"
AUTHORS = "Hossein Aboutalebi, Doina Precup and Tibor Schuster"
ARXIV = "1903.01026"
VERDICTS = (HOLDS, IN_PART, FAILS, UNDECIDED)
MARKS = {HOLDS: "✓", IN_PART: "◐", FAILS: "✗", UNDECIDED: "?"}
RULE = (
    "Every claim is judged by a rule, and every rule asks for one or more numbers. A part passes if the whole interval "
    "of its number lies where the claim needs it, fails if the whole interval lies elsewhere, and is open if only more "
    "replications could tell. The claim holds if every part passes, holds in part if some parts pass and some fail, "
    "fails if some parts fail and none passes, and is undecided while no part fails and some are open. Some parts only count together, such as the conditions of a definition or the cases of a statement "
    "about all cases: then one that fails is enough for the claim to fail, and the rule says so.\n\n"
    "The rules were fixed before the full run, but not before any run: small trial runs had been seen. About a hundred "
    "95 % intervals are read, and none is widened for their number, so a few parts will be wrong by chance."
)
QUICK = (
    "This is the quick scale: it has far fewer replications than the full one, so the intervals are wide and some "
    "parts stay open that the full scale decides."
)


def effect(part: Part) -> str:
    """The number of a part, as exact as its interval allows."""
    return number(part.middle, 4, _decimals(part))


def interval(part: Part) -> str:
    """Its interval, with two digits of the width; what is computed has none.

    >>> interval(Part("share", 0.1712, 0.1634, 0.1795, at_most=0.01))
    '0.163 to 0.179'
    >>> interval(Part.exact("bound less regret", 2.5, at_least=0))
    'exact'
    """
    if part.computed:
        return "exact"
    return " to ".join(number(end, 4, _decimals(part)) for end in (part.low, part.high))


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
    if verdict == UNDECIDED:
        return f"{'is' if count == 1 else 'are'} undecided"
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
