"""The command line: what is printed, what is written, how it ends."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import primum
from primum import Results, policies, rewards, values
from primum.cli import app
from primum.plugins import registry
from primum.runs import Experiment, Study, benchmark
from primum.runs.studies.results import StudyResults
from primum.store import content_store

TEXT = """
title = "Constant against uniform"
horizon = 100
replications = 10
seed = 7
value = "mean"
policies = ["besa-plus", "besa"]
[arms]
standard = { name = "constant", value = 0.4 }
new = "uniform(low=0, high=1)"
"""


@pytest.fixture(autouse=True)
def own_store(tmp_path, monkeypatch):
    """Results of one test are not those of another."""
    monkeypatch.setattr(content_store, "cache_folder", lambda: tmp_path / "store")


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "experiment.toml"
    path.write_text(TEXT)
    return path


@pytest.fixture
def study_file(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(
        TEXT.replace('"mean"', '"mean-variance"') + '[grid]\n"value.rho" = [0.5, 2.0]\nhorizon = [20, 40]\n'
    )
    return path


def run(*arguments, width=80):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], env={"COLUMNS": str(width)})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    return result


def never(*arguments, **options):
    raise AssertionError("the simulation was started")


def test_simulate_prints_saves_and_draws(file, tmp_path):
    out, figure = tmp_path / "run.nc", tmp_path / "regret.html"
    result = run("simulate", file, "--out", out, "--figure", figure)
    assert result.exit_code == 0
    assert "Constant against uniform" in result.stdout
    assert "after 100 steps; 10 replications; seed 7; value: mean" in result.stdout
    results = Results.load(out)
    assert results == Experiment.load(file).run(progress=False)
    mean = results.summary().regret_mean.iloc[0]
    assert re.search(rf"BESA\+ +{mean:.4g} ", result.stdout)
    assert "plotly" in figure.read_text().lower()
    assert "not saved" not in result.stderr


@pytest.mark.parametrize("width", [30, 60, 200])
def test_the_summary_is_whole_at_any_width(file, width):
    shown = run("simulate", file, width=width).stdout
    results = Experiment.load(file).run(progress=False)
    for row in results.summary().itertuples():
        assert row.title in shown
        assert f"{row.regret_median:.4g}" in shown
        assert f"{row.stuck_share:.2%}" in shown


def test_options_replace_what_the_file_says(file, tmp_path):
    out = tmp_path / "run.nc"
    options = ("--policies", "besa-plus(floor=2), ucb1", "--seed", 2**64 - 1, "--horizon", 50, "--replications", 3)
    assert run("simulate", file, "--out", out, "--threads", 1, *options).exit_code == 0
    results = Results.load(out)
    assert results.labels == ["besa-plus(floor=2)", "ucb1"]
    assert (results.seed, results.horizon, results.requested) == (2**64 - 1, 50, 3)


@pytest.mark.parametrize("listed", ['["besa-pluss"]', '["mcdiarmid-ucb"]', "7", '["besa", "besa"]'])
def test_policies_replace_those_of_the_file_before_they_are_checked(file, tmp_path, listed):
    file.write_text(TEXT.replace('["besa-plus", "besa"]', listed).replace('"mean"', '"quantile"'))
    assert run("simulate", file).exit_code == 2
    out = tmp_path / "run.nc"
    assert run("simulate", file, "--policies", "ucb1", "--out", out).exit_code == 0
    assert Results.load(out).labels == ["ucb1"]
    refused = run("simulate", file, "--policies", "ucb2", "--horizon", 5)
    assert f"{file} with other policies and horizon: policies[0]: no policy named 'ucb2'" in refused.stderr


def test_without_out_a_hint_is_given(file):
    result = run("simulate", file)
    assert result.exit_code == 0
    assert "use --out run.nc to keep them" in result.stderr


@pytest.mark.parametrize("name", ["file", "study_file"])
def test_only_what_has_a_seed_is_stored(name, tmp_path, request):
    given = request.getfixturevalue(name)
    text = given.read_text()
    given.write_text(text.replace("seed = 7\n", ""))
    assert run("simulate", given).exit_code == 0
    assert not (tmp_path / "store").exists()
    given.write_text(text)
    assert run("simulate", given).exit_code == 0
    assert (tmp_path / "store" / "results").is_dir()


@pytest.mark.parametrize("suffix", [".png", ".SVG", ".pdf"])
def test_static_figures(file, tmp_path, suffix):
    assert run("simulate", file, "--figure", tmp_path / f"x{suffix}").exit_code == 0
    assert (tmp_path / f"x{suffix}").stat().st_size > 1000


@pytest.mark.parametrize("kind", ["final", "choices"])
@pytest.mark.parametrize("suffix", [".png", ".html"])
def test_figures_of_another_kind(file, tmp_path, kind, suffix):
    figure, again = tmp_path / f"x{suffix}", tmp_path / f"y{suffix}"
    assert run("simulate", file, "--figure", figure, "--kind", kind).exit_code == 0
    drawn = Experiment.load(file).run(progress=False).figure(kind, static=suffix == ".png")
    if suffix == ".png":
        drawn.savefig(again)
        assert figure.read_bytes() == again.read_bytes()
    else:
        assert drawn.layout.yaxis.title.text in figure.read_text()


@pytest.mark.parametrize("options", [(), ("--kind", "profile"), ("--kind", "regret", "--x", "rho", "--row", "horizon")])
def test_figures_of_a_study(study_file, tmp_path, options):
    figure, again = tmp_path / "x.png", tmp_path / "y.png"
    assert run("simulate", study_file, "--figure", figure, *options).exit_code == 0
    given = {name.removeprefix("--"): text for name, text in zip(options[::2], options[1::2])}
    Study.load(study_file).run(progress=False).figure(**{"kind": "ratios"} | given, static=True).savefig(again)
    assert figure.read_bytes() == again.read_bytes()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--figure", "x.png", "--kind", "final"], "no figure named 'final'; did you mean"),
        (["--figure", "x.png", "--kind", "regret"], "say what is on the horizontal axis: x='rho' or x='horizon'"),
        (
            ["--figure", "x.png", "--kind", "regret", "--x", "roh"],
            "no dimension or parameter named 'roh'; did you mean",
        ),
        (["--figure", "x.png", "--x", "rho"], "only the figure 'regret' takes x"),
        (["--kind", "profile"], "--kind profile needs --figure FILE.png too"),
    ],
)
def test_figures_that_a_study_does_not_have_are_told_before_the_run(study_file, options, sentence, monkeypatch):
    monkeypatch.setattr(Study, "run", never)
    result = run("simulate", study_file, *options)
    assert result.exit_code == 2
    assert sentence in result.stderr


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--figure", "x.png", "--kind", "finals"], "no figure named 'finals'; did you mean 'final'?"),
        (["--figure", "x.png", "--x", "step"], "--x step needs a study, which varies problems or parameters"),
        (["--kind", "final"], "--kind final needs --figure FILE.png too"),
        (["--out", "no/run.nc"], "cannot write no/run.nc: No such file or directory"),
        (["--out", "run.csv"], "--out must end in .nc, got 'run.csv'"),
        (["--figure", "/dev/null"], "cannot write /dev/null: it exists and is not an ordinary file"),
        (["--figure", "no/x.png"], "cannot write no/x.png: No such file or directory"),
        (["--figure", "x.gif"], "--figure must end in .html, .png, .svg, .pdf, got 'x.gif'"),
        (["--figure", "x.png", "--horizon", "1"], "--figure needs two recorded steps or more"),
        (["--horizon", "0"], "horizon must be a whole number in [1, 2147483647], got 0"),
        (["--seed", "-1"], "seed must be a whole number in [0, 2^64 - 1], got -1"),
        (["--policies", "besa-pluss"], "policies[0]: no policy named 'besa-pluss'; did you mean 'besa-plus'?"),
        (["--policies", "besa, besa"], "policies must differ, got 'besa' twice"),
        (["--policies", " , "], "policies must be a non-empty list of policies by their names, got []"),
    ],
)
def test_bad_options_are_told_before_the_run(file, options, sentence, monkeypatch):
    monkeypatch.setattr(Study, "run", never)
    monkeypatch.chdir(file.parent)
    result = run("simulate", file, *options)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert list(file.parent.iterdir()) == [file]


def test_bad_files_are_told(file):
    for path, reason in ((file.with_name("no.toml"), "No such file"), (file.parent, "Is a directory")):
        result = run("simulate", path)
        assert (result.exit_code, result.stdout) == (2, "")
        assert f"cannot read {path}: {reason}" in result.stderr
    file.write_bytes(b"\x89HDF\r\n\x1a\n\xff")
    assert "is not a text file in UTF-8" in run("simulate", file).stderr
    file.write_text(TEXT.replace("horizon", "horizn"))
    assert f"{file}: no key named 'horizn'; did you mean 'horizon'?" in run("simulate", file).stderr


def test_a_failed_run_leaves_the_old_results(file, tmp_path, monkeypatch):
    out = tmp_path / "run.nc"
    out.write_text("old")

    def fail(self, **options):
        raise primum.PrimumError("the value is not a number")

    monkeypatch.setattr(Study, "run", fail)
    result = run("simulate", file, "--out", out)
    assert (result.exit_code, result.stderr) == (2, "the value is not a number\n")
    assert out.read_text() == "old"


@pytest.mark.parametrize("done", [0, 4])
def test_an_interrupted_run_keeps_what_is_complete(file, tmp_path, monkeypatch, done):
    whole = Experiment.load(file).run(progress=False)

    def stopped(self, **options):
        pulls = whole.pulls.values[:, :done]
        kept = np.arange(done)
        return Results(whole.problem, whole.policies, 100, 7, whole.steps, kept, pulls, requested=10)

    monkeypatch.setattr(StudyResults, "results", property(stopped))
    out = tmp_path / "run.nc"
    result = run("simulate", file, "--out", out, "--figure", tmp_path / "x.png")
    assert result.exit_code == 130
    assert f"interrupted: {done} of 10 replications are complete" in result.stderr
    assert out.exists() == (tmp_path / "x.png").exists() == (done > 0)
    if done:
        assert len(Results.load(out).replications) == 4


def test_an_interruption_elsewhere_ends_quietly(file, monkeypatch):
    def interrupt(self, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(Study, "run", interrupt)
    result = run("simulate", file)
    assert (result.exit_code, result.stderr) == (130, "interrupted\n")


TELLING = """
from primum.cli import main
from primum.runs.progress import Bar

class Telling(Bar):
    told = False

    def update(self, done):
        super().update(done)
        if done >= 10_000_000 and not self.told:  # several pieces are complete
            self.told = True
            print("ready", flush=True)

import primum.runs.runner
primum.runs.runner.Bar = Telling
main()
"""


@pytest.mark.slow
def test_ctrl_c_in_another_process(file, tmp_path, interruptible):
    out = tmp_path / "run.nc"
    file.write_text('steps = "last"\n' + TEXT)
    options = ("--replications", "5000000", "--horizon", "1000", "--out", str(out))  # an hour
    options += ("--store", str(tmp_path / "store"))
    command = [sys.executable, "-c", TELLING, "simulate", str(file), *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        ready = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert (ready, process.returncode) == ("ready\n", 130), errors
    assert "Traceback" not in errors
    complete = re.fullmatch(r"interrupted: (\d+) of 5000000 replications are complete", errors.splitlines()[-1])
    assert len(Results.load(out).replications) == int(complete[1]) > 0


def test_a_plain_process_reports_a_sentence(tmp_path):
    command = [sys.executable, "-m", "primum.cli", "simulate", str(tmp_path / "no.toml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"cannot read {tmp_path / 'no.toml'}: No such file or directory\n"


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("family", ["values", "rewards", "policies"])
def test_list_shows_everything_at_any_width(family, width):
    result = run("list", family, width=width)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= width
    assert [line.split()[0] for line in lines if line[:1].strip()] == registry.names(family)


def listed(family, name, width=80):
    """What is told below a name, as one line."""
    lines = run("list", family, width=width).stdout.splitlines()
    start = lines.index(name)
    end = next(i for i in range(start + 1, len(lines)) if not lines[i].strip())
    return " ".join(" ".join(lines[start + 1 : end]).split())


@pytest.mark.parametrize("width", [40, 80, 200])
def test_list_shows_parameters_facts_and_sources(width):
    cvar = listed("values", "cvar", width)
    assert cvar.startswith(
        "Conditional value at risk: The mean of the worst fraction `alpha` of outcomes. "
        "- alpha = 0.1: a number in (0, 1]; fraction of worst outcomes"
    )
    assert "- estimator = fractional: one of 'fractional', 'ceil', 'chen'; estimator on a sample" in cvar
    assert "gamma = 10; lipschitz = 10; biased; sub-samples do not average to the sample." in cvar
    assert values.CVaR().well_behaved_reason in cvar
    assert f"Reference: {values.CVaR.reference()}" in cvar
    assert values.Mean().well_behaved_reason in listed("values", "mean", width)
    assert "- value: a finite number; the reward" in listed("rewards", "constant", width)
    assert listed("rewards", "uniform", width).endswith("Rewards in [0, 1]; mean 0.5.")
    for name, facts in {
        "besa": "Always uses its own value: mean. Reference: Baransi",
        "exp-exp": "Always uses its own value: mean - var. Needs the horizon. Reference: Sani",
        "marab": "Always uses its own value: CVaR 10 % (ceiling estimator). Reference: Galichet",
        "npts": "Works with every value. Needs rewards in (-inf, 1]. Reference: Riou",
        "thompson": "Needs rewards in [0, 1].",
        "oracle": "Works with every value. Needs the true values.",
        "mcdiarmid-ucb": "Works with every value whose gamma is known, and with any other if you set gamma. Needs",
    }.items():
        assert facts in listed("policies", name, width)


def test_list_all_has_a_heading_for_each_family():
    headings = [line.split()[1] for line in run("list").stdout.splitlines() if line.startswith("─")]
    assert headings == list(registry.FAMILIES)


@pytest.mark.parametrize("arguments", [["list", "values"], ["--version"], ["--help"]])
def test_output_that_cannot_be_written_is_a_sentence(arguments):
    command = [sys.executable, "-m", "primum", *arguments]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "input or output failed: [Errno 28] No space left on device\n")


def test_letters_that_the_output_does_not_have_are_replaced():
    command = [sys.executable, "-m", "primum", "list", "policies"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "?" in done.stdout


def test_a_name_needs_its_family():
    result = run("list", "all", "cvar")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "give the family of 'cvar' too, for example: primum list values cvar" in result.stderr


def test_a_closed_standard_input_is_a_sentence(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(primum.PrimumError, match="cannot read standard input: it is closed"):
        Experiment.load("-")


def test_a_figure_is_written_at_once_or_not_at_all(file, tmp_path, monkeypatch):
    def full(self, content):
        with open(self, "wb") as half:
            half.write(content[: len(content) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    for name in ("x.html", "x.png"):
        (tmp_path / name).write_text("old")
        result = run("simulate", file, "--figure", tmp_path / name)
        assert (result.exit_code, (tmp_path / name).read_text()) == (2, "old")
        assert "No space left on device" in result.stderr


def test_list_survives_anybodys_class():
    """One that cannot be made, and those whose properties raise or make no sense."""

    class Unfinished(values.SafetyValue):
        pass

    class Moody(values.MomentValue):
        """Raises what it likes."""

        @property
        def gamma(self):
            raise ZeroDivisionError("not today")

        @staticmethod
        def from_moments(n, mean, variance):
            return mean

    class Nowhere(rewards.RewardDistribution):
        """No support."""

    class Vague(policies.Policy):
        """No sensible bounds."""

        reward_bounds = None

        @staticmethod
        def choose(history):
            return 0

    assert "Unfinished needs a static method `estimate`" in listed("values", "unfinished")
    assert listed("values", "moody") == "Moody: Raises what it likes. ZeroDivisionError: not today"
    assert "Nowhere has no `support`" in listed("rewards", "nowhere")
    assert listed("policies", "vague").startswith("Vague: No sensible bounds. Works with every value. TypeError: ")
    assert "gamma = 1;" in listed("values", "mean")


def test_list_refuses_other_words():
    result = run("list", "arms", width=200)
    assert result.exit_code == 2
    assert "'arms' is not one of 'values', 'rewards', 'policies'" in " ".join(result.stderr.split())


def test_bench_shows_every_case(monkeypatch):
    monkeypatch.setattr(benchmark, "SHORTEST_SECONDS", 0.001)
    result = run("bench")
    assert result.exit_code == 0
    rates = re.findall(r"(\d+\.\d\d) million steps per CPU second; first run, compiling: \d+\.\d s", result.stdout)
    assert len(rates) == len(benchmark.CASES) == len(result.stdout.splitlines())
    assert all(float(rate) > 0 for rate in rates)


def test_version_and_help():
    assert run("--version").stdout == f"{primum.__version__}\n"
    shown = run("--help").stdout
    assert all(command in shown for command in ("simulate", "list", "bench"))


def test_help_needs_nothing_slow():
    slow = "{'xarray', 'pandas', 'plotly', 'matplotlib', 'pydantic', 'numba', 'scipy'}"
    code = f"import sys, primum.cli; print(sorted({slow} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ})
    assert done.stdout == "[]\n"


PLUGINS = """
from dataclasses import dataclass
from primum import parameter, rewards, values

@dataclass(frozen=True)
class Shifted(values.MomentValue):
    shift: float = parameter(0.0, "what is added", low=0.0)

    @property
    def gamma(self):
        return 1.0 - self.shift

    @staticmethod
    def from_moments(n, mean, variance, shift):
        return mean + shift

@dataclass(frozen=True)
class Given(rewards.Constant):
    pass

class Halfway(values.MomentValue):
    abstract = True
"""


@pytest.fixture
def plugins(tmp_path, fresh_registry, monkeypatch):
    monkeypatch.delitem(sys.modules, "my_plugins", raising=False)
    path = tmp_path / "my_plugins.py"
    path.write_text(PLUGINS)
    return path


def test_check_says_what_was_seen_and_ends_with_1_if_that_is_wrong(plugins):
    good, bad = run("check", f"{plugins}:Shifted"), run("check", f"{plugins}:shifted(shift=0.5)")
    assert (good.exit_code, bad.exit_code) == (0, 1)
    lines = good.stdout.splitlines()
    assert lines[0] == "shifted"
    assert lines[1] == "✓ compiles: native code was made, and it does not write to its sample"
    assert (
        "✓ gamma bounds what one reward changes: gamma is claimed to be 1; the largest n |change| found" in good.stdout
    )
    assert re.search(r"all \d+ checks passed", good.stderr)
    assert bad.stdout.splitlines()[0] == "shifted(shift=0.5)"
    assert "✗ gamma bounds what one reward changes: gamma is claimed to be 0.5, but beside" in bad.stdout
    assert re.search(r"1 of \d+ checks failed", bad.stderr)


def test_check_looks_at_all_plug_ins_of_a_module(plugins, monkeypatch):
    plugins.write_text(PLUGINS.replace("rewards.Constant", "rewards.Uniform"))
    monkeypatch.chdir(plugins.parent)
    shown = run("check", "my_plugins")
    assert shown.exit_code == 0
    assert [line for line in shown.stdout.splitlines() if line[0] not in "✓✗"] == ["shifted", "given"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nowhere:X", "cannot import nowhere: ModuleNotFoundError: No module named 'nowhere'"),
        ("nowhere.py", "cannot import nowhere.py: there is no file nowhere.py"),
        ("{}:Shift", "no plug-in in my_plugins named 'Shift'; did you mean 'Shifted'?"),
        ("{}:dataclass", "dataclass in my_plugins is not a value, a reward distribution or a policy"),
        ("{}:Halfway", "Halfway is a base class; check a class derived from it"),
        ("{}:Given", "given: value is missing; it must be a finite number"),
        ("{}", "given: value is missing; it must be a finite number; check the classes of "),
        ("{}:Shifted(shift=-1)", "shifted: shift must be in [0, inf), got -1"),
        ("{}:Shifted(shift", "cannot read 'shift' in 'Shifted(shift'; write each parameter with its name"),
        ("json", "json defines no value, no reward distribution and no policy"),
    ],
)
def test_check_says_what_it_cannot_find(plugins, given, said):
    result = run("check", given.format(plugins), width=200)
    assert result.exit_code == 2
    assert said in result.stderr


@pytest.mark.parametrize("text", ["1 / 0", "def", "raise SystemExit(3)"])
def test_check_says_what_does_not_import(plugins, text):
    plugins.write_text(text)
    result = run("check", plugins, width=200)
    assert result.exit_code == 2
    assert re.search("cannot import .*my_plugins.py: (ZeroDivisionError|SyntaxError|SystemExit): .+", result.stderr)


def test_list_shows_one_of_them_and_check_takes_registered_names():
    shown = run("list", "values", "cvar").stdout
    assert shown.startswith("cvar\n")
    assert "\nmean\n" not in shown
    missing = run("list", "values", "cvra")
    assert missing.exit_code == 2
    assert "did you mean 'cvar'?" in missing.stderr
    assert run("check", "mean-variance(rho=2)").stdout.startswith("mean-variance(rho=2)\n✓ compiles")


def test_equal_arms_are_said_to_be_equal(tmp_path):
    file = tmp_path / "null.toml"
    file.write_text(
        'horizon=20\nreplications=2\nvalue="mean"\npolicies=["besa-plus"]\n[arms]\na="uniform"\nb="uniform"'
    )
    assert "all arms are equally good" in " ".join(run("simulate", str(file)).stdout.split())
