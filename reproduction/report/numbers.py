"""Numbers as the report writes them."""

from __future__ import annotations

import math
from typing import Any

from primum.text import listed
from reproduction.judgement import Judgement, Part

MOST_DECIMALS = 6
MOST_DIGITS = 15


def number(x: float, digits: int = 3, decimals: int | None = None) -> str:
    """A number with so many significant digits, or all digits before the point; or with so many decimals.

    >>> number(0.01234), number(12345.6), number(-0.0), number(-3, decimals=1)
    ('0.0123', '12,346', '0', '-3.0')
    >>> number(float("inf")), number(2e12)
    ('∞', '2e+12')
    """
    if not math.isfinite(x):
        return "not a number" if math.isnan(x) else "∞" if x > 0 else "-∞"
    if decimals is not None:
        return f"{round(x, decimals) + 0.0:,.{decimals}f}"
    return f"{x:,.0f}" if 10**digits - 0.5 <= abs(x) < 1e9 else f"{x + 0.0:,.{digits}g}"


def percent(fraction: float, decimals: int = 0) -> str:
    """A fraction as a percentage.

    >>> percent(0.123), percent(0.123, 1)
    ('12 %', '12.3 %')
    """
    return f"{number(100 * fraction, decimals=decimals)} %"


def with_interval(band: Any, factor: float = 1.0) -> str:
    """An estimate and its interval, if it has one, with enough digits to tell the ends apart.

    >>> with_interval((0.5, 0.25, 0.75)), with_interval((2, float("nan"), float("nan"))), with_interval((2, 2, 2))
    ('0.5 [0.25, 0.75]', '2', '2')
    >>> with_interval((0.004, 0.0039999, 0.0040001), factor=100)
    '0.4 [0.39999, 0.40001]'
    """
    middle, low, high = (factor * float(end) for end in band)
    if not (math.isfinite(low) and math.isfinite(high)) or low == high:
        return number(middle)
    return f"{number(middle)} [{', '.join(_ends(low, high, 3))}]"


def percent_with_interval(band: Any) -> str:
    """A fraction and its interval as percentages."""
    return f"{with_interval(band, 100)} %"


def effect(part: Part) -> str:
    """The number of a part, as precise as its interval allows."""
    return number(part.effect, 4, _decimals(part))


def interval(part: Part) -> str:
    """The interval of a part, with two digits of its width.

    >>> interval(Part("fraction", 0.1712, 0.1634, 0.1795, at_most=0.01))
    '0.163 to 0.179'
    >>> interval(Part.exact("bound minus regret", 2.5, at_least=0))
    'exact'
    >>> interval(Part("problems", 4, 4, 4, at_least=2))
    '4'
    """
    if part.computed:
        return "exact"
    if part.low == part.high:
        return number(part.low, 4)
    decimals = _decimals(part)
    if decimals is None:
        return " to ".join(_ends(part.low, part.high, 4))
    return " to ".join(number(end, decimals=decimals) for end in (part.low, part.high))


def tally(judgement: Judgement) -> str:
    """How many parts have each outcome; nothing for a single part."""
    outcomes = [part.outcome for part in judgement.parts]
    if len(outcomes) < 2:
        return ""
    if len(set(outcomes)) == 1:
        same = {"passes": "pass", "fails": "fail", "open": "are open"}[outcomes[0]]
        return f"{'both' if len(outcomes) == 2 else f'all {len(outcomes)}'} parts {same}"
    verbs = {"passes": ("passes", "pass"), "fails": ("fails", "fail"), "open": ("is open", "are open")}
    counts = [f"{outcomes.count(verb)} {verbs[verb][outcomes.count(verb) > 1]}" for verb in verbs if verb in outcomes]
    return f"of {len(outcomes)} parts, {listed(counts)}"


def _ends(low: float, high: float, digits: int) -> tuple[str, str]:
    """Both ends with at least so many digits, and with more until they differ."""
    for more in range(digits, MOST_DIGITS):
        ends = number(low, more), number(high, more)
        if ends[0] != ends[1]:
            break
    return ends


def _decimals(part: Part) -> int | None:
    width = part.high - part.low
    if not (math.isfinite(width) and width > 0):
        return None
    decimals = max(0, 1 - math.floor(math.log10(width) + 1e-9))
    return decimals if decimals <= MOST_DECIMALS else None
