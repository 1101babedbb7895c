"""Operating characteristics: what they mean, their errors, and that they do not depend on how they are computed."""

from __future__ import annotations

import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from primum import policies, rewards, trials, values
from primum.errors import PrimumError
from primum.runs import runner
from primum.store import Store
from primum.trials.estimated_values import estimated_values
from primum.trials.operating.characteristics import CHARACTERISTICS, Truth, characteristics
from primum.trials.operating.measures import Measures, chosen, unpack
from primum.trials.operating.summary import number
from primum.trials.simulation import pieces, running
from tests.problems import PATHS, POLICIES, mostly_long
from tests.trials import made_up
from tests.trials.made_up_looks import Weeding

ARMS = [rewards.Bernoulli(0.3), rewards.Bernoulli(0.55), rewards.Bernoulli(0.45)]
RULE = Weeding(behind=0.5, enough=0.75, hopeless=0.35, least=4)


def design_of(arms=3, **options):
    names = ["control", "new", "other"][:arms]
    given = {"arms": names, "patients": 36, "policy": "besa-plus", "burn_in": 3, "analysis": "pooled-z(alpha=0.2)"}
    if options.get("stopping") is not None:
        given["analysis"] = None
    return trials.Design(**given | options)


def found_in(design, scenario, count, seed=5):
    """The characteristics of some trials, by name, and the trials."""
    scenario = trials.Scenario.of(scenario)
    done = running.run(design, scenario, seed, range(count))
    found = {each.name: each for each in characteristics(Measures.of(done), design, Truth.of(design, scenario))}
    assert set(found) == set(CHARACTERISTICS)
    return found, done


@pytest.mark.parametrize("options", [{}, {"looks": [14, 24], "stopping": RULE}], ids=["no looks", "looks"])
def test_characteristics_are_what_they_say(options):
    """Each from the patients of each trial, one trial after the other."""
    design, count = design_of(**options), 60
    found, done = found_in(design, ARMS, count)
    p = [arm.probability for arm in ARMS]
    each = {name: [] for name in found}
    for r in range(count):
        size = int(done.size[r])
        arm, outcome = done.data.arm[r, :size], done.data.outcome[r, :size]
        n = [int((arm == k).sum()) for k in range(3)]
        means = [outcome[arm == k].mean() if n[k] else np.nan for k in range(3)]
        if options:
            better = set(np.flatnonzero(done.claimed[r]).tolist())
        else:
            row = trials.TrialData(design, *(getattr(done.data, name)[[r]] for name in ("counts", "sums", "variances")))
            significant = design.analysis.rejections(row)[0].tolist()
            z = design.analysis.statistic(row)[0]
            better = {k + 1 if z[k] > 0 else 0 for k in range(2) if significant[k]}
        each["reject"].append(bool(better))
        each["claim"].append([k in better for k in range(3)])
        each["power_any"].append(bool(better & {1, 2}))
        each["power_all"].append(better >= {1, 2})
        left = [k for k in range(3) if done.data.active[r, k] and n[k]]
        highest = [k for k in left if means[k] == max(means[k] for k in left)]
        each["best"].append((1 in highest) / max(len(highest), 1))
        each["wrong"].append(0 in better or (bool(options) and 2 in better))
        each["patients"].append(n)
        each["share"].append([k / size for k in n])
        each["worse_majority"].append(max(n[0], n[2]) > size / 2)
        each["worse_tenth"].append(max(n[0], n[2]) - n[1] >= 3.6)
        each["outcome"].append(outcome.sum())
        each["regret"].append(n[0] * (p[1] - p[0]) + n[2] * (p[1] - p[2]))
        each["stuck"].append(n[1] < 0.2 * size / 3)
        each["size"].append(size)
        each["duration"].append(size - 1)
        each["stop"].append([done.reason[r] == k for k in range(3 if options else 0)])
        each["bias"].append([means[k] - means[0] - (p[k] - p[0]) for k in (1, 2)])
    by_arm = {"bias"}
    for name, numbers in each.items():
        if numbers:
            value = found[name].value[1:] if name in by_arm else found[name].value
            error = found[name].error[1:] if name in by_arm else found[name].error
            assert value == pytest.approx(np.mean(numbers, axis=0)), name
            spread = np.std(numbers, axis=0, ddof=1) / np.sqrt(count)
            if CHARACTERISTICS[name].unit == "probability" and name not in ("share", "best"):
                none = np.sqrt(2 / (count + 4) * (1 - 2 / (count + 4)) / (count + 4))
                spread = np.where(spread == 0, none, spread)
            assert error == pytest.approx(spread), name
    assert found["patients_sd"].value == pytest.approx(np.std(each["patients"], axis=0, ddof=1))
    assert found["outcome_sd"].value == pytest.approx(np.std(each["outcome"], ddof=1))
    assert found["rmse"].value[1:] == pytest.approx(np.sqrt(np.mean(np.square(each["bias"]), axis=0)))
    assert found["size_quantile"].value[1] == sorted(each["size"])[count // 2 - 1]
    assert found["estimable"].value[1:].tolist() == [1, 1]
    assert np.isnan(found["bias"].value[0])
    if options:
        assert found["stop"].value[:2].min() > 0
        assert 0 < found["wrong"].value < 1


def test_the_gain_is_over_equal_randomisation_of_the_same_patients():
    """Uniform allocation gains nothing: within 4.5 standard errors, a false alarm in 150,000. The best arm gains."""
    found, _ = found_in(design_of(policy="uniform-random", burn_in=0), ARMS, 400)
    assert abs(found["gain"].value) <= 4.5 * found["gain"].error
    single, _ = found_in(design_of(policy="round-robin", burn_in=0), ARMS, 400)
    assert single["gain"].error < found["gain"].error, "equal numbers vary less"
    best = [rewards.Bernoulli(0.05), rewards.Bernoulli(0.95), rewards.Bernoulli(0.05)]
    adaptive, _ = found_in(design_of(), best, 50)
    assert adaptive["gain"].value > 5


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["reject", "patients", "patients_sd", "outcome_sd", "gain", "rmse", "bias", "size_quantile"]
)
def test_standard_errors_are_those_between_repetitions(name):
    """The standard deviation of 200 repetitions of 100 trials each against the mean stated error.

    Such a standard deviation has a relative error of about 1/20, a root of an estimated fourth moment adds some: 1.35
    is more than 5 of these. For quantiles of whole numbers the stated error is rough: a factor of 2.5.
    """
    scenario = trials.Scenario.of([rewards.Bernoulli(0.3), rewards.Bernoulli(0.7)])  # about half stop early
    design = design_of(2, looks=[14, 24], stopping=RULE)
    measures = Measures.of(running.run(design, scenario, 8, range(20_000)))
    truth = Truth.of(design, scenario)
    parts = [Measures(2, measures.table[first : first + 100]) for first in range(0, 20_000, 100)]
    found = [next(f for f in characteristics(part, design, truth) if f.name == name) for part in parts]
    spread = np.std([each.value for each in found], axis=0, ddof=1)
    stated = np.mean([each.error for each in found], axis=0)
    known = np.isfinite(spread) & (spread > 0)
    assert known.any()
    factor = 2.5 if name == "size_quantile" else 1.35
    assert (stated[known] / spread[known] < factor).all()
    assert (spread[known] / stated[known] < factor).all()


def test_measures_are_packed_and_unpacked():
    table = np.random.default_rng(1).normal(size=(7, Measures(3, np.empty((0, 0))).width))
    assert (unpack(Measures(3, table).pack(), 3) == table).all()
    assert unpack(Measures(3, table).pack(), 2) is None
    assert unpack(b"no measures at all", 3) is None


@dataclass(frozen=True)
class MostSuccesses(trials.Analysis):
    """An analysis of a test file: an arm is better if it has ten successes more than the control."""

    title = "Most successes"

    def p_values(self, data):
        return np.where(data.sums[:, 1:] >= data.sums[:, :1] + 10, 0.001, 0.9)


SCENARIOS = {"effect": ARMS, "drift": trials.Scenario(ARMS, drift=0.2)}
DESIGNS = {
    "own": design_of(analysis=MostSuccesses()),
    "late": design_of(
        looks=[14, 24], stopping=RULE, delay=trials.after_time(rewards.Uniform(0, 6)), accrual=trials.Poisson(rate=2.0)
    ),
    "weighted": design_of(policy=policies.EpsilonGreedy(epsilon=0.5), estimator="adaptively-weighted"),
}


def operate(tmp_path, name, **options):
    given = {"replications": 60, "seed": 3, "progress": False, "store": tmp_path / name, "threads": 1}
    return trials.operate(DESIGNS, SCENARIOS, **given | options)


def test_any_cut_gives_equal_numbers(tmp_path, monkeypatch):
    whole = operate(tmp_path, "whole").data
    monkeypatch.setattr(pieces, "PIECE_PATIENTS", 36 * 7)
    monkeypatch.setattr(pieces, "NUMBERS_SIDE_BY_SIDE", 36 * 3 * 5)
    assert operate(tmp_path, "pieces").data.equals(whole)
    assert operate(tmp_path, "threads", threads=2).data.equals(whole)
    assert (whole["trials"] == 60).all()
    assert float(whole["reject"].sel(design="own", scenario="effect")) > 0


@pytest.mark.slow
def test_processes_give_equal_numbers_with_plugins_of_this_file(tmp_path, monkeypatch):
    whole = operate(tmp_path, "whole").data
    monkeypatch.setattr(pieces, "PIECE_PATIENTS", 36 * 30)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        assert operate(tmp_path, "processes", executor=executor, threads=None).data.equals(whole)


def forbidden(*arguments, **options):
    raise AssertionError("nothing must be played")


def test_without_a_store_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.setenv("PRIMUM_CACHE", str(tmp_path / "cache"))
    given = {"replications": 30, "seed": 3, "progress": False, "exact": False}
    found = trials.operate(DESIGNS, SCENARIOS, **given)
    assert not (tmp_path / "cache" / "results").exists()
    assert found.data.equals(trials.operate(DESIGNS, SCENARIOS, **given, store=tmp_path / "store").data)
    assert (tmp_path / "store" / "results").exists()


def test_what_is_stored_is_not_simulated_again(tmp_path, monkeypatch):
    first = operate(tmp_path, "store")
    monkeypatch.setattr(pieces, "run", forbidden)
    assert operate(tmp_path, "store").data.equals(first.data)
    assert operate(tmp_path, "store", replications=40).data["trials"].values.tolist() == [[40, 40]] * 3
    for changes in ({"seed": 4}, {"replications": 61}):
        with pytest.raises(AssertionError, match="nothing must be played"):
            operate(tmp_path, "store", **changes)


class Stopping:
    """A progress that presses Ctrl-C when it is time."""

    def __init__(self, is_time):
        self.is_time = is_time

    def __enter__(self):
        return self

    def say(self, text):
        pass

    def update(self, done):
        if self.is_time():
            raise KeyboardInterrupt

    def __exit__(self, *error):
        pass


def test_an_interrupted_run_goes_on_where_it_was(tmp_path, monkeypatch):
    monkeypatch.setattr(pieces, "PIECE_PATIENTS", 36 * 20)
    monkeypatch.setattr(runner, "PARTS_PER_THREAD", 0)
    whole = operate(tmp_path, "whole").data
    original, played = pieces.run, []

    def slowly(design, scenario, seed, replications, *, monitor, **options):
        played.append(len(replications))
        while len(played) == 3 and not monitor.stopped[0]:  # the third waits to be stopped
            time.sleep(0.001)
        return original(design, scenario, seed, replications, monitor=monitor, **options)

    monkeypatch.setattr(pieces, "run", slowly)
    part = operate(tmp_path, "store", progress=Stopping(lambda: len(played) == 3))
    assert not part.is_complete
    assert part.data["trials"].values.tolist() == [[40, 0], [0, 0], [0, 0]]
    played.clear()
    played.append(0)
    monkeypatch.setattr(pieces, "run", lambda *a, **o: played.append(len(a[3])) or original(*a, **o))
    again = operate(tmp_path, "store")
    assert again.is_complete
    assert again.data.equals(whole)
    assert sum(played) == 6 * 60 - 40


def test_interrupted_before_the_first_trial_is_an_error(tmp_path):
    with pytest.raises(PrimumError, match="interrupted before any trial was complete"):
        operate(tmp_path, "store", progress=Stopping(lambda: True), replications=100_000)


CHANCES = [policy for policy in POLICIES if policy.has_chances]


@pytest.mark.slow
@pytest.mark.parametrize("policy", mostly_long(CHANCES, PATHS), ids=str)
def test_exact_characteristics_are_those_of_simulated_trials(policy, tmp_path):
    """4,000 trials; beyond 4.5 standard errors with probability 7e-6, in about 18 comparisons for each of 15 policies.

    All in all a false alarm in 500 such tests. Errors of rare events are at least 1 in 4,000.
    """
    design = design_of(2, patients=40, policy=policy, burn_in=0, analysis="pooled-z(alpha=0.1)")
    store = Store(tmp_path)
    simulated, exact = (
        trials.operate(
            design, {"effect": ARMS[:2], "null": [ARMS[0]] * 2}, replications=4_000, seed=6, store=store, exact=which,
            progress=False,
        ).data
        for which in (False, True)
    )  # fmt: skip
    names = exact["characteristic"].values[exact["exact"].all(["design", "scenario"])].tolist()
    assert not simulated["exact"].any()
    compared = 0
    for name in names:
        mine, other = exact[name].values, simulated[name].values
        error = simulated[f"{name}_error"].values
        assert (np.isnan(mine) == np.isnan(other)).all(), name
        assert (exact[f"{name}_error"].values[np.isfinite(mine)] == 0).all(), name
        largest = 40.0 if CHARACTERISTICS[name].unit in ("patients", "outcome") else 1.0
        known = np.isfinite(mine)
        assert (np.abs(mine - other)[known] <= 4.5 * np.maximum(error, largest / 4_000)[known]).all(), name
        compared += known.sum()
    assert compared > 25


def test_the_worse_arm_is_the_one_with_the_lower_value():
    """Mean minus twice the variance: 0.3 is worse than 0.1, and exact characteristics do not say otherwise."""
    design = design_of(2, value=values.MeanVariance(rho=2.0), burn_in=0)
    arms = [rewards.Bernoulli(0.1), rewards.Bernoulli(0.3)]
    oc = [
        trials.operate(design, {"": arms}, replications=400, seed=1, exact=exact, progress=False).data
        for exact in (False, True)
    ]
    for name in ("worse_majority", "worse_tenth", "wrong"):
        assert oc[0][name].item() == oc[1][name].item()
    assert oc[0]["patients_error"].values.min() > oc[1]["patients_error"].values.max() == 0


def test_what_a_look_declares_is_not_left_out_of_exact_characteristics():
    design = design_of(2, looks=[12, 24], stopping=Weeding(behind=9.0, enough=0.7, hopeless=-1.0, least=4), burn_in=0)
    oc = trials.operate(design, {"effect": ARMS[:2]}, replications=500, seed=1, progress=False)
    assert oc.data["exact"].sel(characteristic=["reject", "size", "share", "stop"]).values.ravel().tolist() == [
        True, True, False, False,
    ]  # fmt: skip
    assert oc.data["reject"].item() > 0.1
    assert oc.data["size_error"].item() == 0
    table = oc.table().set_index("characteristic")["error"]
    assert table["Patients enrolled"] == table["Rejects"] == "exact"
    simulated = trials.operate(design, {"effect": ARMS[:2]}, replications=4_000, seed=1, exact=False, progress=False)
    assert simulated.data["reject"].item() == simulated.data["stop"].sel(reason="enough").item()
    for name in ("reject", "wrong"):  # a false alarm in 1 of 70,000 seeds
        error = 4.5 * simulated.data[f"{name}_error"].item()
        assert oc.data[name].item() == pytest.approx(simulated.data[name].item(), abs=error)


def test_nothing_in_any_simulated_trial_is_not_exact():
    """Mean minus twice the variance puts the arms in the other order, so that wrong conclusions are simulated."""
    design = design_of(2, value=values.MeanVariance(rho=2.0), burn_in=0, analysis="pooled-z(critical=30.0)")
    oc = trials.operate(
        design, {"": [rewards.Bernoulli(0.1), rewards.Bernoulli(0.3)]}, replications=400, seed=1, progress=False
    )
    assert oc.data["reject"].item() == oc.data["wrong"].item() == oc.data["reject_error"].item() == 0
    assert oc.data["wrong_error"].item() == pytest.approx(np.sqrt(2) / 404, rel=0.01)
    table = oc.table().set_index("characteristic")["error"]
    assert (table["Rejects"], table["Wrong conclusion"]) == ("exact", "0.0035")
    at = {"design": next(iter(oc.designs)), "scenario": ""}
    assert [number(oc, name, at).precision for name in ("reject", "wrong")] == ["exact", "± 0.35"]


def test_a_figure_says_what_is_exact():
    design, both = design_of(2, burn_in=0), {"null": [ARMS[0]] * 2, "drift": trials.Scenario(ARMS[:2], drift=0.1)}
    oc = trials.operate(design, both, replications=50, seed=1, progress=False)
    simulated = trials.operate(design, both, replications=50, seed=1, exact=False, progress=False)
    exact = trials.operate(design, {"null": both["null"]}, replications=50, seed=1, progress=False)
    assert [each.picture("power").subtitle for each in (exact, oc, simulated)] == [
        "exact",
        "95 % Monte Carlo interval, or exact; 50 trials each; seed 1",
        "95 % Monte Carlo interval; 50 trials each; seed 1",
    ]


def test_power_beside_the_share_of_patients_is_that_of_the_best_arm():
    """Where the control is best, what a one-sided test for the other arm declares is false, and no power."""
    both = {"effect": ARMS[:2], "harm": ARMS[1::-1]}
    design = design_of(2, burn_in=0, analysis="pooled-z(sided='greater', critical=1.0)")
    oc = trials.operate(design, both, replications=50, seed=1, progress=False)
    assert oc.data["reject"].sel(scenario="harm").item() > 0.001
    power = oc.picture("trade-off").series[0].y
    np.testing.assert_array_equal(power, [oc.data["claim"].sel(scenario="effect", arm="new").item(), 0.0])


def test_powers_of_fixed_numbers_of_patients_are_those_of_the_normal_distribution():
    """60 patients on each arm; 4.5 standard errors of 6,000 trials, and 0.004 for outcomes that are not normal."""
    means, deviation, count, critical = np.array([0.5, 0.6, 0.55]), np.sqrt(1 / 12), 60, 2.0
    arms = [rewards.Uniform(float(mean) - 0.5, float(mean) + 0.5) for mean in means]
    design = design_of(
        patients=3 * count, policy="permuted-blocks", burn_in=0,
        analysis=trials.WelchT(sided="greater", critical=critical),
    )  # fmt: skip
    found, _ = found_in(design, arms, 6_000)
    shift = (means[1:] - means[0]) / (deviation * np.sqrt(2 / count))
    z = stats.multivariate_normal(shift, [[1, 0.5], [0.5, 1]])
    any_better = 1 - z.cdf([critical, critical])
    each = stats.norm.sf(critical - shift)
    ahead = (means[1] - means[[0, 2]]) / (deviation * np.sqrt(2 / count))
    best = stats.multivariate_normal(-ahead, [[1, 0.5], [0.5, 1]]).cdf([0, 0])
    expected = {"power_any": any_better, "power_all": each.sum() - any_better, "claim": each, "best": best}
    for name, normal in expected.items():
        value = found[name].value[1:] if name == "claim" else found[name].value
        error = found[name].error[1:] if name == "claim" else found[name].error
        assert (np.abs(value - normal) <= 4.5 * error + 0.004).all(), (name, value, normal)
    assert found["power_all"].value < found["power_any"].value < found["reject"].value + 1e-12


def test_false_claims_are_rejections_and_not_power():
    """The new arm is better and the other one worse: two-sided claims about the latter are no power."""
    arms = [rewards.Bernoulli(0.5), rewards.Bernoulli(0.6), rewards.Bernoulli(0.1)]
    found, done = found_in(design_of(patients=90, policy="permuted-blocks", burn_in=0), arms, 400)
    concluded = Measures.of(done)["concluded"]
    assert found["power_any"].value == found["power_all"].value == (concluded[:, 0] > 0).mean()
    assert found["reject"].value == (concluded != 0).any(axis=1).mean() > found["power_any"].value + 0.2


def test_without_a_better_arm_there_is_no_power_and_without_a_difference_no_best_arm():
    same, _ = found_in(design_of(), [ARMS[0]] * 3, 20)
    assert np.isnan([same[name].value for name in ("power_any", "power_all", "best")]).all()
    control, _ = found_in(design_of(), [ARMS[1], ARMS[0], ARMS[0]], 20)
    assert np.isnan([control[name].value for name in ("power_any", "power_all")]).all()
    assert 0 < control["best"].value <= 1


def test_the_arm_with_the_best_value_is_chosen_and_ties_are_shared():
    """Outcomes 0 and 1 and others; the mean and the worst half disagree about the arms."""
    arm = np.array([[0, 0, 1, 1, 2, 2]] * 3)
    outcome = np.array([[0, 1, 0.4, 0.4, 0, 0.5], [0, 1, 0, 1, 0, 0], [1, 1, np.nan, np.nan, 1, 1]])
    by_mean = chosen(made_up.patients(arm, outcome, arms=3))
    assert by_mean.tolist() == [[1, 0, 0], [0.5, 0.5, 0], [0.5, 0, 0.5]]
    by_half = chosen(made_up.patients(arm, outcome, arms=3, value=values.CVaR(alpha=0.5)))
    assert by_half.tolist() == [[0, 1, 0], [1 / 3, 1 / 3, 1 / 3], [0.5, 0, 0.5]]
    data = made_up.patients(arm, outcome, arms=3)
    data.active[:] = [[False, True, True], [True, False, True], [False, True, False]]
    assert chosen(data).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]]


@pytest.mark.parametrize("value", [values.Entropic(), values.CVaR(alpha=0.3), values.MeanVariance(rho=1.0)], ids=str)
def test_estimated_values_are_those_of_the_outcomes_of_each_arm(value):
    rng = np.random.default_rng(6)
    arm, outcome = rng.integers(-1, 3, size=(20, 15)), rng.uniform(size=(20, 15))
    arm[0, arm[0] == 2], outcome[1, 3:6] = 0, np.nan
    found = estimated_values(made_up.patients(arm, outcome, arms=3, value=value))
    for row in range(20):
        for k in range(3):
            sample = outcome[row][(arm[row] == k) & np.isfinite(outcome[row])]
            assert found[row, k] == pytest.approx(value.of(sample) if sample.size else np.nan, nan_ok=True)
