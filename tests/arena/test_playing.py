"""Playing the arena: stored pieces, the command, the report, and the table that the repository keeps."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas
import pytest
from typer.testing import CliRunner

from primum import Problem, arena, rewards, simulate, values
from primum.arena import Scale, playing
from primum.arena.figures import figures
from primum.arena.playing import LONG_HORIZON, SHORT_HORIZON, games, pair_seed
from primum.arena.table import FIRST_REPLICATIONS
from primum.cli import app
from primum.plugins import registry
from primum.results.measures import REGRET
from primum.runs import pieces
from primum.runs.pieces import ExperimentPieces

SUITE = arena.pairs()
PAIRS = {pair.name: pair for pair in SUITE}
FEW = tuple(PAIRS[name] for name in ("sure-worse", "bernoulli-close", "bernoulli-mean-variance", "normals-unbounded"))
TINY = Scale("tiny", {100: (6, 4)}, timed_horizon=100)
MINE = """
from dataclasses import dataclass

from primum.kernels import opening, random_arm
from primum.policies import Policy


@dataclass(frozen=True)
class Mine(Policy):
    \"\"\"Each arm once, then any.\"\"\"

    title = "Mine <b>"

    @staticmethod
    def choose(history):
        arm = opening(history, 1.0)
        return arm if arm >= 0 else random_arm(history, 1.0)
"""


def built(*specs):
    return [registry.build("policies", spec) for spec in specs]


def played(*specs, store, on=FEW):
    return arena.play(built(*specs), scale=TINY, on=on, store=store, threads=1, progress=False)


@pytest.fixture
def parts(monkeypatch):
    """The labels of the policies that are played and stored, on the fly."""
    found = []

    def noting(pieces, part, played):
        found.extend(policy.label for policy in part.policies)
        return original(pieces, part, played)

    original = ExperimentPieces.take
    monkeypatch.setattr(ExperimentPieces, "take", noting)
    return found


def test_cells_are_those_of_a_simulation(tmp_path):
    table = played("besa-plus", "mvts", store=tmp_path)
    assert list(table.pairs) == [pair.name for pair in FEW]
    cells = {(cell.pair, cell.policy): cell for cell in table.cells}
    assert set(cells) == {*((pair.name, "besa-plus") for pair in FEW), ("bernoulli-mean-variance", "mvts")}
    pair = PAIRS["sure-worse"]
    seed = pair_seed("sure-worse", arena.SEED)
    results = simulate(pair.problem, ["besa-plus"], horizon=100, replications=6, seed=seed, progress=False)
    regret = results.regret.values[0, :, -1]
    cell = cells["sure-worse", "besa-plus"]
    assert cell.replications == 6
    np.testing.assert_allclose([cell.regret, cell.error], [regret.mean(), regret.std(ddof=1) / np.sqrt(6)])
    assert cell.first == cell.regret
    assert cell.stuck == results.stuck.values[0, :, -1].sum()
    assert cell.microseconds > 0


def test_the_first_replications_are_kept_apart(tmp_path, monkeypatch):
    monkeypatch.setattr(playing, "FIRST_REPLICATIONS", 2)
    (cell,) = played("ucb1", store=tmp_path, on=FEW[:1]).cells
    results = simulate(
        FEW[0].problem, ["ucb1"], horizon=100, replications=2, seed=pair_seed("sure-worse", arena.SEED), progress=False
    )
    np.testing.assert_allclose(cell.first, results.regret.values[0, :, -1].mean())


def test_a_policy_that_is_added_is_all_that_is_played(tmp_path, parts):
    first = played("besa-plus", store=tmp_path)
    assert set(parts) == {"besa-plus"}
    parts.clear()
    both = played("besa-plus", "ucb1", store=tmp_path)
    assert set(parts) == {"ucb1"}
    kept = {cell for cell in both.cells if cell.policy == "besa-plus"}
    assert {(cell.pair, cell.regret) for cell in kept} == {(cell.pair, cell.regret) for cell in first.cells}


def test_a_run_that_is_stopped_gives_no_table(tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "run", lambda *arguments, **options: False)
    with pytest.raises(KeyboardInterrupt):
        played("besa-plus", store=tmp_path)


def test_policies_that_become_equal_on_a_pair_are_played_once(tmp_path, parts):
    table = played("mvts", "mvts(rho=2)", store=tmp_path)
    assert parts == ["mvts"]
    one, other = table.cells
    assert (one.policy, other.policy) == ("mvts", "mvts(rho=2)")
    assert list(table.pairs) == ["bernoulli-mean-variance"], "no others fit"
    assert arena.main_horizon(table) == 100
    assert one.regret == other.regret


def test_a_policy_that_fits_nothing_is_refused(tmp_path):
    with pytest.raises(ValueError, match="cvar-ucb fits none of the 4 pairs"):
        played("cvar-ucb", store=tmp_path)
    with pytest.raises(ValueError, match="'ucb1' twice"):
        played("ucb1", "ucb1", store=tmp_path)


def test_pairs_have_seeds_of_their_own():
    assert len({pair_seed(pair.name, arena.SEED) for pair in SUITE}) == len(SUITE)
    assert pair_seed("sure-worse", 1) != pair_seed("sure-worse", 2)


def test_costly_policies_and_values_have_fewer_replications():
    counts = {
        (game.pair.name, label, game.experiment.horizon): game.experiment.replications
        for game in games(SUITE, arena.roster(), arena.FULL)
        for label in game.players
    }
    usual, fewer = arena.FULL.replications[10_000]
    assert usual > fewer
    assert counts["sure-worse", "besa-plus", 10_000] == usual
    assert counts["sure-worse", "npts", 10_000] == counts["losses", "besa-plus", 10_000] == fewer
    assert ("losses", "ssmc", SHORT_HORIZON) in counts
    assert ("losses", "ssmc", 10_000) not in counts, "a step would take milliseconds"
    long = {pair for pair, _, horizon in counts if horizon == LONG_HORIZON}
    assert long == {pair.name for pair in SUITE if pair.long}
    assert ("sure-worse", "npts", LONG_HORIZON) not in counts
    assert min(counts.values()) >= FIRST_REPLICATIONS


def test_the_kept_table_has_every_policy_on_every_pair_that_it_fits():
    table = arena.kept()
    assert table.seed == arena.SEED
    wanted = {
        (game.pair.name, label, game.experiment.horizon)
        for game in games(SUITE, arena.roster(), arena.FULL)
        for label in game.players
        if game.experiment.horizon in table.horizons
    }
    assert {(cell.pair, cell.policy, cell.horizon) for cell in table.cells} == wanted
    assert {name: row.title for name, row in table.pairs.items()} == {pair.name: pair.title for pair in SUITE}
    assert set(table.versions) == {"python", "primum", "numpy", "scipy", "numba"}


@pytest.mark.parametrize(
    ("pair", "policy"),
    [
        ("sure-worse", "besa-plus"),
        ("sure-best", "dirichlet-sampling"),
        ("bernoulli-close", "kl-ucb"),
        ("bernoulli-far", "sda"),
        ("bernoulli-mean-variance", "mv-lcb"),
        ("tie-cvar", "cvar-ucb"),
        ("needle", "epsilon-greedy"),
        ("percent", "ucb-v"),
    ],
)
def test_cells_of_the_kept_table_are_played_again_exactly(pair, policy):
    """All that the digits show: those of rewards that SciPy computes may differ on another processor."""
    (kept,) = (
        cell for cell in arena.kept().cells if (cell.pair, cell.policy, cell.horizon) == (pair, policy, SHORT_HORIZON)
    )
    problem = PAIRS[pair].problem
    results = simulate(
        problem,
        [arena.fitted(*built(policy), PAIRS[pair])],
        horizon=SHORT_HORIZON,
        replications=FIRST_REPLICATIONS,
        seed=pair_seed(pair, arena.SEED),
        steps="last",
        progress=False,
    )
    regret = REGRET.of(problem, results.steps, results.pulls.values).mean()
    assert float(f"{regret:.8g}") == pytest.approx(kept.first, rel=1e-7)


@pytest.fixture
def small(monkeypatch, tmp_path):
    """The command with a few pairs and replications, in a folder with a plug-in."""
    monkeypatch.setattr(arena, "pairs", lambda: FEW)
    quick = Scale("tiny", {SHORT_HORIZON: (4, 4)}, timed_horizon=SHORT_HORIZON)
    monkeypatch.setattr(arena, "QUICK", quick)
    (tmp_path / "mine_in_the_arena.py").write_text(MINE)
    return tmp_path


def run(*arguments, width=200):
    result = CliRunner().invoke(app, ["arena", *map(str, arguments)], env={"COLUMNS": str(width)})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.slow
@pytest.mark.usefixtures("fresh_registry")
def test_the_command_shows_a_plug_in_beside_the_kept_table(small):
    out = small / "out"
    common = ("--quick", "--store", small / "store", "--threads", 1)
    plugins = ("--plugins", small / "mine_in_the_arena.py", "--policies", "mine")
    result = run(*common, *plugins, "--out", out)
    assert result.exit_code == 0, result.output
    assert re.findall(r"Mine <b> +(\d) +\d", result.stdout) == ["1", "3"], "pairs without tuning, then the others"
    assert re.findall(r"BESA\+ +(\d) +\d", result.stdout) == ["1", "3"], "those of the kept table"
    assert "Mine <b> on 1 pair that no policy was tuned on, relative to" in result.stderr
    assert re.search(
        r"Two keys \(bound seen\): too few pairs \(ratio [\d.]+, -; lower on \d of 1 pair\)", result.stderr
    )
    assert "UCB1" in result.stdout
    table = arena.Table.from_json((out / "table.json").read_text())
    mine = {cell.pair: cell for cell in table.cells if cell.policy == "mine"}
    assert set(mine) == {pair.name for pair in FEW}
    assert {cell.replications for cell in mine.values()} == {4}
    kept = {(cell.pair, cell.policy): cell for cell in arena.kept().cells if cell.horizon == SHORT_HORIZON}
    assert next(cell for cell in table.cells if cell.policy == "besa-plus") == kept["sure-worse", "besa-plus"]
    frame = pandas.read_csv(out / "table.csv")
    assert len(frame) == len(table.cells)
    page = (out / "index.html").read_text()
    assert "Mine &lt;b&gt;" in page
    assert "<b>" not in page
    headings = re.findall(r"<h3>(.*?)</h3>", page)
    assert headings[:4] == [
        "After 1,000 steps, 1 pair that no policy was tuned on",
        "After 1,000 steps, 3 pairs that Two keys was tuned on",
        "Mine &lt;b&gt; on 1 pair that no policy was tuned on",
        "Mine &lt;b&gt; on all 4 pairs",
    ]
    assert "We know of no tuning of the policies that you gave." in page
    assert "Bernoulli-IMED and KL-UCB measure" in page
    assert {"summary-1000.csv", "summary-1000-tuned.csv"} <= {path.name for path in out.iterdir()}
    for name in re.findall(r'(?:href|src)="([^"#:]+)"', page):
        assert (out / name).is_file(), name
    assert {"ratios", "profile", "class-1", "worst-by-value"} <= {path.stem for path in (out / "figures").iterdir()}
    assert json.loads((out / "table.json").read_text())["seed"] == arena.SEED


def test_the_command_refuses_what_is_wrong_before_it_plays(small, monkeypatch):
    monkeypatch.setattr(arena, "play", None)
    assert "did you mean 'besa-plus'?" in run("--policies", "besa-pluss").stderr
    assert "no file" in run("--plugins", small / "none.py").stderr
    (small / "file").write_text("")
    assert "cannot write" in run("--out", small / "file" / "x").stderr


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), pytest.param(1280, "light", marks=pytest.mark.long)])
def test_the_page_opens_and_fits_the_window(tmp_path, chromium, width, scheme):
    table = played("besa-plus", "ucb1", "mvts", store=tmp_path / "store")
    arena.report(table, tmp_path / "out", FEW, mine=["ucb1"], progress=False)
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, said, asked = context.new_page(), [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "out" / "index.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("[...document.images].every((image) => image.naturalWidth > 0)")
    assert page.evaluate("document.images.length") == len(figures(table, 100))
    text = page.content()
    assert set(re.findall(r"var\((--[\w-]+)", text)) <= set(re.findall(r"(--[\w-]+)\s*:", text)), "colours of the style"
    assert said == []
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    context.close()


def test_random_pairs_are_played_by_the_command(small, monkeypatch):
    pair = arena.Pair(
        "random-1",
        FEW[0].problem_class,
        "Drawn at random.",
        Problem({"a": rewards.Bernoulli(0.2), "b": rewards.Bernoulli(0.4)}, values.Mean()),
    )
    asked = []
    monkeypatch.setattr(arena, "random_pairs", lambda count, seed: asked.append((count, seed)) or (pair,))
    common = ("--quick", "--store", small / "store", "--threads", 1)
    result = run(*common, "--random", 1, "--policies", "ucb1,besa", "--out", small / "out")
    assert result.exit_code == 0, result.output
    assert asked == [(1, arena.SEED)]
    table = arena.Table.from_json((small / "out" / "table.json").read_text())
    assert {cell.policy for cell in table.cells} == {"ucb1", "besa"}, "the kept table has other pairs"


def test_ctrl_c_says_how_to_go_on(small, monkeypatch):
    def stopped(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(arena, "play", stopped)
    result = run("--out", small / "out")
    assert result.exit_code == 130
    assert "run it again to resume" in result.stderr
