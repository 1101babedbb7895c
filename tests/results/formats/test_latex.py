"""Tables for papers: what they say, and that LaTeX can read them."""

from __future__ import annotations

import math
import re
import shutil
import subprocess

import pandas
import pytest

import primum
from primum import Problem, rewards, values
from primum.errors import PrimumError
from primum.results.comparison import Comparison
from primum.results.formats import latex
from primum.runs import Study

ARMS = {"sure": rewards.Constant(0.4), "gamble": rewards.Bernoulli(0.5)}
HOSTILE = r"a & b_c 50 % $x^2$ {#1} ~ \end{tabular} <i>|"


@pytest.fixture(scope="module")
def results():
    problem = Problem(ARMS, values.Mean())
    return primum.simulate(
        problem, ["ucb1", "besa-plus(floor=5)"], horizon=300, replications=40, seed=1, progress=False
    )


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    given = Study(
        value="mean", arms=ARMS, policies=["ucb1", "besa-plus"], horizon=50, replications=8, seed=7,
        grid={"arms.gamble.probability": [0.5, 0.9], "horizon": [20, 50]},
    )  # fmt: skip
    return given.run(store=tmp_path_factory.mktemp("store"), progress=False)


def cells(text):
    """The cells of a table, row by row, after a check that it is whole."""
    lines = text.splitlines()
    assert lines[0].startswith("% ")
    assert lines[0].endswith(r"needs \usepackage{booktabs}")
    assert lines[2] == r"\toprule"
    assert lines[4] == r"\midrule"
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]
    rows = [lines[3], *lines[5:-2]]
    assert all(row.endswith(r" \\") for row in rows)
    parts = [re.split(r"(?<!\\) & ", row.removesuffix(r" \\")) for row in rows]
    (layout,) = re.findall(r"\\begin\{tabular\}\{([lr]+)\}", lines[1])
    assert {len(row) for row in parts} == {len(layout)}
    for row in parts:
        for cell in row:
            assert len(re.findall(r"(?<!\\)\$", cell)) % 2 == 0
    return parts


def compiled(text, folder):
    if shutil.which("pdflatex") is None:
        return
    document = r"\documentclass{article}\usepackage{booktabs}\begin{document}" + f"\n{text}" + r"\end{document}"
    (folder / "table.tex").write_text(document)
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "table.tex"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_a_summary(results, tmp_path):
    text = results.summary().to_latex()
    heading, *rows = cells(text)
    assert heading == [
        "Policy",
        r"Mean regret (95\,\% interval)",
        r"Median regret (5\,\% to 95\,\% quantile)",
        r"Pulls of the best arm, \% (95\,\% interval)",
        r"Stuck, \% (95\,\% interval)",
    ]
    assert [row[0] for row in rows] == ["UCB1", "BESA+ (floor 5)"]
    assert text.startswith("% after 300 steps; 40 replications; ")
    for row, told in zip(rows, results.summary().to_dict("records"), strict=True):
        numbers = [[float(one) for one in re.findall(r"\$(-?[\d.]+)\$", cell)] for cell in row[1:]]
        assert numbers[0] == pytest.approx([told["regret_mean"], told["regret_low"], told["regret_high"]], rel=0.05)
        assert numbers[2] == pytest.approx(
            [100 * told[name] for name in ("best_arm_share", "best_arm_low", "best_arm_high")], rel=0.05
        )
    compiled(text, tmp_path)


def test_it_is_a_data_frame_whose_rows_can_be_chosen(results):
    summary = results.summary()
    assert isinstance(summary, pandas.DataFrame)
    chosen = summary.sort_values("regret_mean", ascending=False)[:1]
    assert len(cells(chosen.to_latex())) == 2
    renamed = summary.assign(title=[HOSTILE, "BESA+"])
    assert cells(renamed.to_latex())[1][0] == latex.escaped(HOSTILE)
    with pytest.raises(PrimumError, match="needs the columns of a summary, and title, step"):
        summary[["regret_mean"]].to_latex()
    with pytest.raises(PrimumError, match="a row at least"):
        summary[:0].to_latex()


def test_a_study_has_what_it_varies(study, tmp_path):
    text = study.table().to_latex()
    heading, *rows = cells(text)
    assert heading[:4] == ["Probability", "Horizon", "Policy", "Steps"]
    assert rows[0][:4] == ["$0.5$", "$20$", "UCB1", "$20$"]
    assert len(rows) == 8
    compiled(text, tmp_path)


def test_a_comparison(results, tmp_path):
    compared = results.compare("ucb1", "besa-plus(floor=5)")
    heading, row = cells(compared.to_latex())
    assert heading == ["Policies", r"Difference in mean regret (95\,\% interval)"]
    assert row[0] == "UCB1 minus BESA+ (floor 5)"
    assert [float(one) for one in re.findall(r"\$(-?[\d.]+)\$", row[1])] == pytest.approx(
        [compared.difference, compared.low, compared.high], rel=0.05
    )
    assert compared.to_latex().startswith("% after 300 steps; 40 paired replications; ")
    hostile = Comparison(HOSTILE, "b", 1.0, 0.5, 1.5, 10, 5).to_latex()
    cells(hostile)
    compiled(hostile, tmp_path)


def test_special_characters_are_escaped():
    assert latex.escaped(HOSTILE) == (
        r"a \& b\_c 50 \% \$x\textasciicircum{}2\$ \{\#1\} \textasciitilde{} "
        r"\textbackslash{}end\{tabular\} \textless{}i\textgreater{}\textbar{}"
    )


@pytest.mark.parametrize(
    ("numbers", "written"),
    [
        (([0.0], [0.0], [0.0]), ["$0$ ($0$ to $0$)"]),
        (([1234.5], [1200.0], [1300.0]), ["$1234$ ($1200$ to $1300$)"]),
        (([-0.0001], [-0.2], [0.2]), ["$0.00$ ($-0.20$ to $0.20$)"]),
        (([0.5, 7.0], [0.49, 1.0], [0.51, 9.0]), ["$0.500$ ($0.490$ to $0.510$)", "$7.000$ ($1.000$ to $9.000$)"]),
        (([3.14159], [math.nan], [math.nan]), ["$3.14$"]),
    ],
)
def test_numbers_have_the_decimals_they_are_worth(numbers, written):
    assert latex.estimates(*numbers) == written
