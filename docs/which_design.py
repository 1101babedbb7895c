"""Write the tables of the page "Which design?", and its figure.

python docs/which_design.py [--only tables | drift | figure]
"""

from __future__ import annotations

import argparse
import dataclasses
import re
from pathlib import Path
from typing import Any

from primum import policies, rewards, trials
from primum.figures import style
from primum.trials.exact_law.averages import averages

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "which-design.md"
FIGURE = ROOT / "docs" / "figures" / "frontier.svg"
BLOCK = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- end of \w+ -->)", re.DOTALL)

TEST = trials.ConditionalExact(alpha=0.05, sided="greater")
EQUAL = trials.Design(arms=["control", "new"], patients=148, policy=policies.UniformRandom(), analysis=TEST)
BESA_PLUS = EQUAL.replace(policy=policies.BesaPlus(floor=2))
THOMPSON = EQUAL.replace(policy=policies.Thompson())
SQUARE_ROOT = EQUAL.replace(policy=policies.PosteriorBest(exponent=0.5))
LOOK = EQUAL.replace(looks=[0.5], stopping=trials.GroupSequential(alpha=0.05, sided="greater"), analysis=None)
PATIENTS = (60, 148, 300)
CONTROL, EFFECTS = 0.3, (0.1, 0.2, 0.3)
PRIOR = [(0.1, 0.3), (0.2, 0.4), (0.3, 0.5), (0.4, 0.6), (0.5, 0.7), (0.6, 0.8), (0.7, 0.9)]
OPTIMAL_POWERS = {60: (0.51, 0.45), 148: (0.81, 0.75), 300: (0.97, 0.93)}  # averages over the prior
DRIFT = 0.3


def rows(patients: int) -> dict[str, trials.Design]:
    """The designs that are compared, by the names of the page."""
    burn_in = round(0.2 * patients)
    designs = {
        "equal randomisation": EQUAL,
        "equal, look at half, then all on the winner": LOOK,
        "square-root RAR": SQUARE_ROOT,
        "Thompson sampling": THOMPSON,
        "Thompson sampling, coin 0.4": THOMPSON.replace(coin=0.4),
        "BESA+": BESA_PLUS,
        "BESA+, coin 0.2": BESA_PLUS.replace(coin=0.2),
        "BESA+, coin 0.4": BESA_PLUS.replace(coin=0.4),
        f"BESA+, burn-in {burn_in}": BESA_PLUS.replace(burn_in=burn_in),
    }
    made = {name: design.resized(patients) for name, design in designs.items()}
    for power in OPTIMAL_POWERS[patients]:
        best = trials.optimal(patients=patients, alpha=0.05, power=power, prior=PRIOR)
        made[f"optimum, mean power {power:g}"] = best.design
    return made


def table(patients: int) -> list[str]:
    """The share on the better arm and the power of each design, for each effect."""
    pairs = [(CONTROL, CONTROL + effect) for effect in EFFECTS]
    head = [f"{CONTROL:g}, {p1:g}" for _, p1 in pairs]
    lines = [f"**{patients} patients**", "", f"| design | {' | '.join(head)} |", "|---|" + "---:|" * len(pairs)]
    for name, design in rows(patients).items():
        valid = trials.calibrate(design, progress=False).design if design.looks else design
        law = trials.exact(valid, progress=False)
        found = [averages(law, [pair], "greater") for pair in pairs]
        lines.append(f"| {name} | {' | '.join(f'{share:.0%}, {power:.0%}' for share, power in found)} |")
    return [*lines, ""]


def drift() -> list[str]:
    """The type I error of five tests with a drift, and their power without one."""
    designs = {
        "equal randomisation": EQUAL,
        "square-root RAR": SQUARE_ROOT,
        "BESA+": BESA_PLUS,
        "BESA+, coin 0.2": BESA_PLUS.replace(coin=0.2),
        "BESA+, coin 0.4": BESA_PLUS.replace(coin=0.4),
    }
    tests: dict[str, Any] = {
        "pooled Z": trials.PooledZ(sided="greater"),
        "conditional exact": TEST,
        "Mantel-Haenszel, 4 periods": trials.MantelHaenszel(sided="greater", periods=4),
        "randomisation test": trials.RandomisationTest(sided="greater", runs=99),
        "label betting": trials.LabelBetting(sided="greater"),
    }
    null, effect = ([rewards.Bernoulli(CONTROL), rewards.Bernoulli(p)] for p in (CONTROL, CONTROL + 0.2))
    scenarios = {"drift": trials.Scenario(null, drift=DRIFT), "effect": effect}
    lines = [f"| design | {' | '.join(tests)} |", "|---|" + "---:|" * len(tests)]
    for name, design in designs.items():
        cells = []
        for test in tests.values():
            slow = isinstance(test, trials.RandomisationTest)
            oc = trials.operate(
                design.replace(analysis=test), scenarios, replications=2_000 if slow else 10_000, seed=7
            )
            found = {scenario: float(oc.data["reject"].sel(scenario=scenario).item()) for scenario in scenarios}
            cells.append(f"{found['drift']:.1%}, {found['effect']:.0%}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def figure() -> None:
    """The frontier for 148 patients, averaged over the prior, with the ceiling."""
    effect = [rewards.Bernoulli(CONTROL), rewards.Bernoulli(CONTROL + 0.2)]
    picture = trials.frontier(BESA_PLUS, effect, prior=PRIOR).picture()
    said = "148 patients; averages over seven pairs of probabilities; exact; pale: another design is better in both"
    drawn = dataclasses.replace(picture, subtitle=said).static()
    FIGURE.write_text("".join(f"{line.rstrip()}\n" for line in style.svg(drawn).decode().splitlines()))


def _filled(block: re.Match[str], made: dict[str, list[str]]) -> str:
    """A block of the page with its new lines, if there are any."""
    lines = made.get(block[2])
    return block[0] if lines is None else "\n".join([block[1].rstrip("\n"), *lines, block[3]])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=("tables", "drift", "figure"))
    only = parser.parse_args().only
    made: dict[str, list[str]] = {}
    if only in (None, "tables"):
        made["designs"] = [line for patients in PATIENTS for line in table(patients)]
    if only in (None, "drift"):
        made["drift"] = drift()
    PAGE.write_text(BLOCK.sub(lambda match: _filled(match, made), PAGE.read_text()))
    if only in (None, "figure"):
        figure()


if __name__ == "__main__":
    main()
