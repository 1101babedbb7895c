"""Draw the figure and compute the numbers that the README shows: python docs/figures.py."""

from __future__ import annotations

import re
from pathlib import Path

from primum.experiments import Experiment

ROOT = Path(__file__).resolve().parent.parent
MARKS = re.compile(r"(<!-- numbers -->\n).*?(<!-- end of numbers -->)", re.DOTALL)


def main() -> None:
    experiment = Experiment.load(ROOT / "examples" / "constant-against-uniform.toml")
    results = experiment.run()
    figure = results.figure("regret", static=True)
    figure.savefig(ROOT / "docs" / "regret.svg", metadata={"Date": None})
    figure.savefig(ROOT / "docs" / "regret.png", dpi=110)
    lines = [
        "| policy | mean regret | 95 % interval | median | runs that are stuck |",
        "|---|---:|---:|---:|---:|",
    ]
    for row in results.summary().itertuples():
        interval = f"{row.regret_low:.1f} to {row.regret_high:.1f}"
        lines.append(
            f"| {row.policy} | {row.regret_mean:.1f} | {interval} | {row.regret_median:.1f} | {row.stuck_share:.1%} |"
        )
    readme = ROOT / "README.md"
    table = "\n".join(lines)
    readme.write_text(MARKS.sub(lambda match: f"{match[1]}{table}\n{match[2]}", readme.read_text()))


if __name__ == "__main__":
    main()
