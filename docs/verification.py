"""Write the page "Verification" from the numbers that benchmarks/published.py and independent.py kept.

python docs/verification.py
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

from primum.plugins import registry

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "verification.md"
FARTHEST = 3.0  # standard errors of a difference, exceeded by one row in 370 where two programs agree
NEAR = 1e-6  # relative difference of two exact numbers, besides the rounding of printed ones
TITLES = {
    "bernoulli": "Regret on Bernoulli arms",
    "normal": "Regret on normal arms",
    "clipped-normal": "Regret on clipped normal arms",
    "exponential": "Regret on exponential arms",
    "exponential-floor": "Regret on exponential arms, with a floor",
    "random-bernoulli": "Regret on random Bernoulli problems",
    "random-normal": "Regret on random normal problems",
    "boundaries": "Boundaries of group sequential tests",
    "sequential": "A group sequential trial",
    "tests": "Tests of one data set",
    "exact-tests": "Exact tests",
    "values": "Values of a distribution",
    "allocation": "Doubly adaptive biased coins",
    "play-the-winner": "Randomised play-the-winner",
    "two-arms": "Exact operating characteristics of two arms",
    "four-arms": "Four arms with 423 patients",
    "adaptr": "Bayesian monitoring of three arms",
    "gittins": "Gittins indices",
}
COMPARED = {
    "besa", "doubly-adaptive-biased-coin", "forward-looking-gittins", "gittins", "imed", "mvts", "npts",
    "posterior-best", "randomised-play-the-winner", "sda", "ssmc", "thompson", "uniform-random",
}  # fmt: skip
NOT_COMPARED = {  # named after articles or books
    "besa-plus": "the claims and figures of its article are judged in [the reproduction](reproduction.md)",
    "boltzmann": "",
    "cvar-ucb": "",
    "dirichlet-sampling": "",
    "epsilon-greedy": "",
    "exp-exp": "",
    "explore-then-commit": "",
    "kl-ucb": "",
    "marab": "",
    "min": "",
    "mts": "",
    "mv-lcb": "",
    "permuted-blocks": "",
    "ra-ucb": "",
    "u-ucb": "",
    "ucb-v": "",
    "ucb1": "a version in plain NumPy, which we wrote, agrees",
}
TEXT = """# Verification

Numbers of Primum beside numbers that others published or that other programs compute. Each section has the command
that recomputes ours; `python docs/verification.py` then writes this page.

{total} numbers are compared, {exact} of them exact on both sides. {missed}

- A number with a standard error is a simulated one: 12.3 ± 0.4. One without is exact.
- *z* is the difference, ours minus theirs, divided by its standard error, after subtracting what the rounding of a
  printed number explains. If two programs do the same, |z| is above {farthest:g} about once in 370 times. A row beyond
  that is a **miss**, and stays here. By chance alone, {expected:.1f} of the {simulated} rows with a z would be misses.
- Where both numbers are exact, the difference is given. It must be explained by the printed digits.
- Regret is that of one simulation with a fixed seed; rows of a table share rewards, so they are not independent.

{misses}
## What is not compared

For the following policies, which others introduced, we found no published number to compare a simulation with. Their
decisions agree with slow versions that we wrote from the definitions, so what could be wrong is our reading of the
article.

{not_compared}

MVTS is compared at rho = 0 only, which leaves out its variance. NPTS and SDA are compared for the mean only.

## Checked elsewhere

- The claims and figures of the article that introduced BESA+, with a verdict on each:
  [the reproduction](reproduction.md).
- The random numbers are those of Philox 4x32 with 10 rounds: the three test vectors of its authors (Random123, file
  `kat_vectors`) are reproduced bit for bit. `pytest tests/kernels/test_streams.py`
- Every compiled kernel has a slow twin in `tests/oracle`, written from the definitions; their decisions are compared
  one by one. Sub-samples are tested to be uniform on every path, and true values are compared with quadrature. All
  statistical tests are seeded and state their false-alarm rate. `make test` runs all of these tests, and
  `make test-long` tries new random examples.
- Posterior probabilities are those of quadrature, exact operating characteristics those of all paths of small trials,
  and boundaries spend the whole level by the multivariate normal distribution of SciPy.
  `pytest tests/trials/test_stopping.py tests/trials/test_exact.py`
- The randomisation test of the ECMO trial (Bartlett and others, Pediatrics 76, 1985) gives p = 2/39, as is known for
  randomised play-the-winner. `pytest tests/trials/test_exact_tests.py`
- Short forms of the tables of regret below are played in `tests/statistical/test_published.py`.

## Bandits

Mean regret after 20,000 steps, unless other steps are given, beside the tables of Baudry, Kaufmann, Maillard,
"Sub-sampling for efficient non-parametric bandit exploration", NeurIPS 2020, with the standard deviations of their
supplement. They played 5,000 runs, and 10,000 random problems; how much those differ is not printed, so the standard
error of theirs is estimated from ours. We play 2,000 replications on Bernoulli arms and 1,000 elsewhere, but 100 of
SSMC and 50 of NPTS, which take long. Where regret has a long upper tail, means of a thousand replications vary more
than their standard errors say.{unplayed}

{bandits}

## Trials

{trials}
"""


def main() -> None:
    PAGE.write_text(page())


def page() -> str:
    """The page, from the rows that are kept."""
    published, independent = rows("published"), rows("independent")
    both = [*published, *independent]
    missed = [row for row in both if is_miss(row)]
    simulated = sum(row["z"] is not None for row in both)
    return TEXT.format(
        farthest=FARTHEST,
        total=len(both),
        exact=len(both) - simulated,
        missed={0: "None is a miss.", 1: "One is a miss."}.get(len(missed), f"{len(missed)} are misses."),
        expected=simulated * 0.0027,
        simulated=simulated,
        misses=f"## Misses\n\n{parts(missed)}\n" if missed else "",
        not_compared="\n".join(map(excuse, sorted(NOT_COMPARED))),
        unplayed=yet_to_be_played({row["table"] for row in both}),
        bandits=parts(published),
        trials=parts(independent),
    )


def rows(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((ROOT / "benchmarks" / f"{name}.json").read_text())
    return found


def yet_to_be_played(found: set[str]) -> str:
    """The tables that the scripts have and whose rows are not kept yet."""
    lacking = [f"`{name}`{' (the only one with NPTS)' * (name == 'clipped-normal')}" for name in TITLES.keys() - found]
    return f"\n\nParts of the script that are yet to be played: {', '.join(sorted(lacking))}." if lacking else ""


def excuse(name: str) -> str:
    """A policy that is not compared, and what is known of it."""
    cls = registry.find("policies", name)
    return f"- {cls.title}{': ' * bool(NOT_COMPARED[name])}{NOT_COMPARED[name]}"


def is_miss(row: dict[str, Any]) -> bool:
    if row["z"] is not None:
        return abs(float(row["z"])) > FARTHEST
    apart = abs(row["ours"] - row["published"])
    return bool(apart > row["rounding"] + NEAR * abs(row["published"]))


def parts(found: list[dict[str, Any]]) -> str:
    """A section for each part, with the command that repeats it."""
    sections = []
    for name, group in itertools.groupby(found, key=lambda row: str(row["table"])):
        members = list(group)
        sections.append(f"### {TITLES[name]}\n\n`{members[0]['command']}`\n\n{table(members)}")
    return "\n\n".join(sections)


def table(found: list[dict[str, Any]]) -> str:
    """Ours and theirs; what is the same in all rows stands above the table."""
    same = {key: found[0][key] for key in ("setting", "source") if len({row[key] for row in found}) == 1}
    above = [f"{name}: {same[key]}." for key, name in (("source", "Theirs"), ("setting", "Setting")) if key in same]
    heads = ["number", "setting", "ours", "theirs", "z or difference", "source of theirs"]
    kept = [i for i, key in enumerate(["", "setting", "", "", "", "source"]) if key not in same]
    notes = list(dict.fromkeys(row["note"] for row in found if row["note"]))
    lines = [[heads[i] for i in kept], [("---", "---", "---:", "---:", "---:", "---")[i] for i in kept]]
    for row in found:
        mark = f" ({notes.index(row['note']) + 1})" if row["note"] else ""
        cells = [
            row["what"] + mark,
            row["setting"],
            number(row["ours"], row["se"]),
            number(row["published"], row["published_se"]),
            apart(row),
            row["source"],
        ]
        lines.append([cells[i] for i in kept])
    told = "\n".join(f"({i}) {note}  " for i, note in enumerate(notes, 1))
    text = "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
    return "\n\n".join(filter(None, [" ".join(above), text, told.rstrip()]))


def apart(row: dict[str, Any]) -> str:
    text = f"{row['z']:+.2f}" if row["z"] is not None else f"{row['ours'] - row['published']:+.0e}"
    text = {"-0.00": "0.00", "+0.00": "0.00", "+0e+00": "0"}.get(text, text)
    return f"**{text}, a miss**" if is_miss(row) else text


def number(value: float, error: float) -> str:
    """A number with its standard error to two digits, or an exact one to six."""
    if not error:
        return f"{value:.6g}"
    decimals = max(0, 1 - int(f"{error:e}".split("e")[1]))
    return f"{value:,.{decimals}f}\u00a0±\u00a0{error:.{decimals}f}"


if __name__ == "__main__":
    main()
