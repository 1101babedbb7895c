"""Results: derived numbers, statistics, comparison, files."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray
from hypothesis import given, settings
from hypothesis import strategies as st

from primum import PrimumError, Problem, Results, policies, rewards, simulate, values
from primum.errors import UnknownNameError
from primum.plugins import registry
from primum.results import side_by_side
from primum.results.comparison import Comparison
from primum.results.formats.netcdf import _earlier_checksum, pack
from primum.results.intervals import mean_band, ratio_band, share_band, variance_ratio_band
from primum.store.files import write

ARMS = {"standard": rewards.Constant(0.4), "new": rewards.Uniform(0, 1)}  # means 0.4 and 0.5
PLAYERS = [policies.BesaPlus(), policies.BesaPlus(floor=2)]
STEPS = [5, 10]
# policy x replication x step x arm
PULLS = [
    [[[5, 0], [10, 0]], [[2, 3], [2, 8]], [[1, 4], [1, 9]]],
    [[[1, 4], [2, 8]], [[1, 4], [1, 9]], [[0, 5], [0, 10]]],
]


def make(pulls=PULLS, arms=ARMS, value=None, **changes):
    given = {"horizon": 10, "seed": 7, "steps": STEPS, "replications": range(len(pulls[0]))} | changes
    return Results(Problem(arms, value or values.Mean()), PLAYERS[: len(pulls)], pulls=pulls, **given)


def test_axes_are_named():
    results = make(replications=[0, 2, 5], requested=6)
    assert results.pulls.dims == ("policy", "replication", "step", "arm")
    assert list(results.pulls.policy.values) == ["besa-plus", "besa-plus(floor=2)"]
    assert list(results.pulls.arm.values) == ["standard", "new"]
    assert list(results.regret.replication.values) == [0, 2, 5]
    assert results.regret.dims == results.best_arm_share.dims == ("policy", "replication", "step")
    assert int(results.pulls.sel(policy="besa-plus", replication=2, step=5, arm="new")) == 3


def test_regret_is_gaps_times_pulls():
    np.testing.assert_allclose(make().regret.sel(policy="besa-plus"), [[0.5, 1.0], [0.2, 0.2], [0.1, 0.1]])


def test_best_arm_share_is_that_of_all_best_arms():
    np.testing.assert_allclose(make().best_arm_share.sel(policy="besa-plus"), [[0, 0], [0.6, 0.8], [0.8, 0.9]])
    tied = make(arms={"a": rewards.Constant(0.5), "b": rewards.Uniform(0, 1)})
    np.testing.assert_allclose(tied.best_arm_share, 1.0)


def test_worst_arm_share_is_that_of_all_arms_with_the_largest_gap():
    np.testing.assert_allclose(make().worst_arm_share.sel(policy="besa-plus"), [[1, 1], [0.4, 0.2], [0.2, 0.1]])
    arms = {"best": 0.9, "middle": 0.5, "worst": 0.1 + 0.2, "as bad": 0.3}  # the last two differ by rounding
    arms = {name: rewards.Constant(mean) for name, mean in arms.items()}
    three = make([[[[1, 2, 1, 1], [1, 3, 2, 4]]]], arms)
    np.testing.assert_allclose(three.worst_arm_share, [[[0.4, 0.6]]])
    assert three.worst_arm_share.dims == ("policy", "replication", "step")


def test_equally_good_arms_have_no_worst():
    tied = make(arms={"a": rewards.Constant(0.5), "b": rewards.Uniform(0, 1)})
    np.testing.assert_array_equal(tied.worst_arm_share, 0)


def test_pulls_cannot_be_changed_by_accident():
    with pytest.raises(ValueError, match="read-only"):
        make().pulls.values[0] = 0


def test_a_wrong_shape_is_refused():
    with pytest.raises(PrimumError, match=r"policy x replication x step x arm \(2, 2, 2, 2\), got \(2, 3, 2, 2\)"):
        make(replications=[0, 1])


def test_summary_holds_known_numbers():
    row = make().summary().iloc[0]
    assert (row.name, row.title, row.step, row.replications) == ("besa-plus", "BESA+", 10, 3)
    regret = np.array([1.0, 0.2, 0.1])
    half = 4.302652729911275 * regret.std(ddof=1) / np.sqrt(3)  # Student t, 2 degrees of freedom, from a table
    assert row.regret_mean == pytest.approx(13 / 30)
    assert row.regret_low == pytest.approx(13 / 30 - half)
    assert row.regret_high == pytest.approx(13 / 30 + half)
    assert row.regret_median == pytest.approx(0.2)
    assert [row.regret_5, row.regret_25, row.regret_75, row.regret_95] == pytest.approx([0.11, 0.15, 0.6, 0.92])
    assert row.best_arm_share == pytest.approx(1.7 / 3)
    assert 0 <= row.best_arm_low < row.best_arm_share < row.best_arm_high <= 1
    assert row.stuck_share == pytest.approx(1 / 3)
    assert make().summary().iloc[1].stuck_share == 0


def test_a_tenth_of_the_pulls_is_not_stuck():
    assert list(make([[[[5, 0], [9, 1]]]]).summary().stuck_share) == [0.0]


def test_stuck_is_known_at_every_step():
    pulls = [[[[5, 0], [9, 1]], [[4, 1], [10, 0]]]]
    stuck = make(pulls).stuck
    assert stuck.dims == ("policy", "replication", "step")
    assert stuck.values.tolist() == [[[True, False], [False, True]]]
    three = make([[[[4, 1, 0], [9, 1, 0]]]], arms=ARMS | {"worse": rewards.Constant(0.1)})  # less than 1/15 is stuck
    assert three.stuck.values.tolist() == [[[False, False]]]


def test_environments_lie_side_by_side():
    results = {"one": make(), "two": make(arms={"standard": rewards.Constant(0.2), "new": rewards.Uniform(0, 1)})}
    regret = side_by_side(results, lambda one: one.regret)
    assert regret.dims == ("environment", "policy", "replication", "step")
    for name, one in results.items():
        xarray.testing.assert_equal(regret.sel(environment=name, drop=True), one.regret)
    with pytest.raises(PrimumError, match="are the same in all"):
        side_by_side(results | {"three": make(replications=[0, 1, 5])}, lambda one: one.regret)
    with pytest.raises(PrimumError, match="no results to put side by side"):
        side_by_side({}, lambda one: one.regret)


def test_ratio_of_means():
    above, below = np.random.default_rng(2).uniform(1, 2, (2, 2000))
    middle, low, high = ratio_band(above, below)
    assert middle == pytest.approx(above.mean() / below.mean())
    resampled = np.random.default_rng(3).integers(0, 2000, (2000, 2000))
    ends = np.quantile(above[resampled].mean(axis=1) / below[resampled].mean(axis=1), [0.025, 0.975])
    np.testing.assert_allclose([low, high], ends, rtol=2e-3)
    assert np.isnan(variance_ratio_band(1.0, 0.0, 10)).all()
    assert np.isnan(variance_ratio_band(1.0, 1.0, 1)).all()


def test_a_single_replication_has_no_interval():
    row = make([[[[5, 0], [9, 1]]]]).summary().iloc[0]
    assert row.regret_mean == row.regret_median == pytest.approx(0.9)
    assert np.isnan([row.regret_low, row.regret_high, row.best_arm_low]).all()


def test_no_replication_gives_no_numbers_and_no_warning():
    row = make(np.zeros((1, 0, 2, 2)), requested=5).summary().iloc[0]
    assert row.replications == 0
    assert np.isnan([row.regret_mean, row.regret_5, row.best_arm_share, row.stuck_share]).all()


def test_intervals_agree_with_published_numbers():
    np.testing.assert_allclose(mean_band(np.array([1.0, 2.0, 3.0])), [2, 2 - 2.48414, 2 + 2.48414], atol=1e-5)
    # Wilson's interval for 81 of 263 (Newcombe, Statistics in Medicine 17, 1998, Table I)
    np.testing.assert_allclose(share_band(np.arange(263) < 81), [0.3080, 0.2553, 0.3662], atol=5e-5)
    assert share_band(np.zeros(10, bool))[1] == pytest.approx(0)
    assert share_band(np.ones(10, bool))[2] == pytest.approx(1)


def test_compare_is_paired():
    comparison = make().compare("besa-plus", "besa-plus(floor=2)")
    # replication by replication 1 - 0.2, 0.2 - 0.1, 0.1 - 0
    assert comparison.difference == pytest.approx(1 / 3)
    half = 4.302652729911275 * np.std([0.8, 0.1, 0.1], ddof=1) / np.sqrt(3)
    assert [comparison.low, comparison.high] == pytest.approx([1 / 3 - half, 1 / 3 + half])
    back = make().compare("besa-plus(floor=2)", "besa-plus")
    assert (back.difference, back.low, back.high) == (-comparison.difference, -comparison.high, -comparison.low)


def test_compare_names_the_nearest_policy():
    with pytest.raises(UnknownNameError, match="did you mean 'besa-plus'?"):
        make().compare("besa-plus", "besaplus")


def test_comparison_speaks():
    less = Comparison("a", "b", -12.3, -13.6, -11.0, 500, 2000)
    assert str(less).startswith("a has 12.3 [11, 13.6] lower regret than b after 2000 steps")
    assert less.is_clear
    assert str(Comparison("a", "b", 2.0, 1.0, 3.0, 5, 9)).startswith("a has 2 [1, 3] higher regret than b")
    assert str(Comparison("a", "b", -1.0, -2.0, 1.0, 5, 9)).endswith("no clear difference")
    assert str(Comparison("a", "b", 0.0, 0.0, 0.0, 5, 9)).startswith("a has 0 [0, 0] lower")
    assert not Comparison("a", "b", 1.0, np.nan, np.nan, 1, 9).is_clear
    assert "&lt;b&gt;" in Comparison("<b>", "b", 1.0, 0.5, 1.5, 5, 9)._repr_html_()


def test_a_simulation_survives_the_file(tmp_path):
    problem = Problem(ARMS, values.CVaR(0.2))
    results = simulate(problem, PLAYERS, horizon=50, replications=6, seed=2**64 - 1, progress=False)
    results.save(tmp_path / "run.nc")
    loaded = Results.load(tmp_path / "run.nc")
    assert loaded == results
    assert loaded.versions == results.versions
    assert loaded.policies == results.policies
    xarray.testing.assert_identical(loaded.regret, results.regret)


@settings(max_examples=25)
@given(data=st.data())
def test_any_results_survive_the_file(data, tmp_path_factory):
    names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(str.strip)
    arms = data.draw(st.dictionaries(names, st.floats(0, 1).map(rewards.Constant), min_size=1, max_size=4))
    count, steps = data.draw(st.integers(0, 3)), data.draw(st.integers(1, 3))
    choices = np.random.default_rng(0).integers(0, len(arms), (2, count, steps))
    results = make(
        (choices[..., None] == np.arange(len(arms))).cumsum(axis=2),
        arms,
        steps=np.arange(steps) + 1,
        replications=np.arange(count),
        seed=data.draw(st.integers(0, 2**64 - 1)),
    )
    path = tmp_path_factory.mktemp("any") / "run.nc"
    results.save(path)
    assert Results.load(path) == results


def test_equality_tells_runs_apart():
    assert make() == make(versions={"primum": "another"})
    assert make() != make(seed=8)
    assert make() != make(requested=4)
    assert make() != make(steps=[5, 9])
    assert make() != make(replications=[0, 1, 3])
    assert make() != make(value=values.MeanVariance())
    assert make() != make(arms=dict(reversed(ARMS.items())))
    assert make() != make(np.array(PULLS)[:, :, ::-1])
    assert make() != "results"


def test_the_file_is_plain_netcdf(tmp_path):
    make().save(tmp_path / "run.nc")
    data = xarray.load_dataset(tmp_path / "run.nc", engine="h5netcdf")
    xarray.testing.assert_equal(data["pulls"], make().pulls)
    about = json.loads(data.attrs["about"])
    assert about["spec"]["problem"]["value"] == {"name": "mean"}
    assert set(about["versions"]) == {"python", "primum", "numpy", "scipy", "numba"}
    assert xarray.load_dataset(tmp_path / "run.nc").identical(data), "without the name of an engine"
    with h5py.File(tmp_path / "run.nc") as file:
        assert file["pulls"][:].tolist() == PULLS


def test_ten_thousand_arms_fit_into_the_file(tmp_path):
    arms = {f"arm {i}": rewards.Constant(0.25) for i in range(10_000)}
    results = make(np.ones((2, 1, 1, 10_000)), arms, horizon=10_000, steps=[10_000])
    results.save(tmp_path / "run.nc")
    assert Results.load(tmp_path / "run.nc") == results


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "run.nc"
    make().save(path)

    def full(self, content):
        with open(self, "wb") as file:
            file.write(content[: len(content) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(PrimumError, match="No space left"):
        make(seed=8).save(path)
    assert Results.load(path).seed == 7
    assert list(tmp_path.iterdir()) == [path]


def test_save_refuses_what_it_cannot_replace(tmp_path):
    for path, reason in (
        (tmp_path, "not an ordinary file"),
        (tmp_path / "no" / "run.nc", "No such file"),
        ("a\0", "null"),
    ):
        with pytest.raises(PrimumError, match=reason):
            make().save(path)
    with pytest.raises(PrimumError, match="not an ordinary file"):
        make().save("/dev/null")
    assert Path("/dev/null").is_char_device()


def test_save_follows_a_link(tmp_path):
    (tmp_path / "link.nc").symlink_to(tmp_path / "run.nc")
    make().save(tmp_path / "link.nc")
    assert (tmp_path / "link.nc").is_symlink()
    assert Results.load(tmp_path / "run.nc") == make()


def test_a_name_that_netcdf_cannot_hold_is_told(tmp_path):
    with pytest.raises(PrimumError, match="cannot be saved"):
        make(arms={"a\0b": rewards.Constant(0.4), "new": rewards.Uniform(0, 1)}).save(tmp_path / "run.nc")
    assert not list(tmp_path.iterdir())


def test_load_says_what_is_wrong_with_the_file(tmp_path):
    good, bad = tmp_path / "run.nc", tmp_path / "bad.nc"
    make().save(good)
    with pytest.raises(PrimumError, match="No such file"):
        Results.load(bad)
    with pytest.raises(PrimumError, match="Is a directory"):
        Results.load(tmp_path)
    for content in (b"", b"horizon = 5\n", good.read_bytes()[:2000], good.read_bytes()[:-1]):
        bad.write_bytes(content)
        with pytest.raises(PrimumError, match="is damaged, or not a file of results that Primum saved"):
            Results.load(bad)
    xarray.Dataset({"x": ("y", [1])}).to_netcdf(bad, engine="h5netcdf")
    with pytest.raises(PrimumError, match="not a file of results that Primum saved"):
        Results.load(bad)
    xarray.Dataset({"x": ("y", [1])}, attrs={"format": "primum-results-1"}).to_netcdf(bad, engine="h5netcdf")
    with pytest.raises(PrimumError, match="is damaged"):
        Results.load(bad)


def test_damaged_bytes_are_refused_before_they_are_parsed(monkeypatch):
    """The reader of netCDF files may hang on them."""
    good, chance = make().to_bytes(), np.random.default_rng(1)
    monkeypatch.setattr(xarray, "load_dataset", lambda *_, **__: pytest.fail("it was parsed"))
    for place in [0, len(good) - 1, *chance.integers(0, len(good), 200)]:
        bad = bytearray(good)
        bad[place] ^= 1 << int(chance.integers(8))
        with pytest.raises(PrimumError, match="is damaged, or not a file of results"):
            Results.from_bytes(bytes(bad))


def earlier(results):
    """The bytes that earlier versions saved."""
    text = json.dumps({"spec": results.spec(), "versions": results.versions})
    checksum = _earlier_checksum(results.pulls, text)
    attributes = {"format": "primum-results-1", "about": text, "checksum": checksum}
    return bytes(xarray.Dataset({"pulls": results.pulls}, attrs=attributes).to_netcdf(engine="h5netcdf"))


def test_files_of_earlier_versions_are_read():
    assert Results.from_bytes(earlier(make())) == make()
    with pytest.raises(PrimumError, match="add up to the step"):
        Results.from_bytes(earlier(make(np.array(PULLS) * 2)))


@pytest.mark.parametrize(
    "change",
    [
        lambda about: about["spec"].pop("seed"),
        lambda about: about["spec"].update(policies=5),
        lambda about: about["spec"].update(problem=[]),
        lambda about: about["spec"]["problem"].update(arms={}),
        lambda about: about["spec"]["policies"].pop(),
        lambda about: about["spec"]["policies"][0].update(floor=-1),
        lambda about: about["spec"]["policies"][0].update(floor=3),
        lambda about: about["spec"]["policies"].__setitem__(0, about["spec"]["policies"][1]),
        lambda about: about["spec"].update(horizon="long"),
        lambda about: about["spec"].update(horizon=-5),
        lambda about: about["spec"].update(horizon=9),
        lambda about: about["spec"].update(horizon=2**40),
        lambda about: about["spec"].update(seed=-1),
        lambda about: about["spec"].update(requested=2),
        lambda about: about["spec"].update(requested=True),
        lambda about: about.update(versions=[]),
        lambda about: about.update(versions={"numpy": 2}),
        lambda about: about.update(spec=None),
    ],
)
def test_load_refuses_a_spec_that_does_not_fit(change, tmp_path):
    about = {"spec": make().spec(), "versions": {}}
    change(about)
    write(tmp_path / "other.nc", pack(make().pulls, about))
    with pytest.raises(PrimumError, match="does not fit this version of Primum"):
        Results.load(tmp_path / "other.nc")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"steps": [10, 5]}, r"the axis step must have ascending whole numbers in \[1, 10\], got \[10  5\]"),
        ({"steps": [5, 5]}, "the axis step must have ascending"),
        ({"steps": [0, 10]}, "the axis step must have ascending"),
        ({"steps": [5, 11]}, "the axis step must have ascending"),
        ({"replications": [0, 1, 1]}, "the axis replication must have ascending"),
        ({"replications": [-1, 0, 1]}, "the axis replication must have ascending"),
        ({"pulls": np.array(PULLS) - [[[[6, -6]]]]}, "pulls must not be negative"),
        ({"pulls": np.array(PULLS)[:, :, ::-1]}, "nor decrease from a step to the next"),
        ({"pulls": np.array(PULLS) - [-(2**30), 2**30]}, "pulls must not be negative"),
        ({"pulls": np.array(PULLS) - [[[[0, 0], [0, -1]]]]}, "the pulls of all arms must add up to the step"),
        ({"pulls": np.array(PULLS)[:, :, :0], "steps": []}, "at one step or more"),
    ],
)
def test_load_refuses_what_no_simulation_gives(changes, message):
    with pytest.raises(PrimumError, match=message):
        Results.from_bytes(make(**changes).to_bytes())


@pytest.mark.parametrize("change", [{"pulls": 0.5}, {"step": 0.5}, {"replication": 0.5}])
def test_load_refuses_numbers_that_are_not_whole(change):
    (name, shift), pulls = *change.items(), make().pulls
    pulls = pulls + shift if name == "pulls" else pulls.assign_coords({name: pulls[name] + shift})
    with pytest.raises(PrimumError, match="whole numbers"):
        Results.from_bytes(pack(pulls.rename("pulls"), {"spec": make().spec(), "versions": {}}))


@pytest.mark.parametrize("what", ["pulls", "step", "replication", "about"])
@pytest.mark.parametrize("saved", [Results.to_bytes, earlier], ids=["now", "earlier"])
def test_a_quiet_change_is_noticed(saved, what):
    data = xarray.load_dataset(io.BytesIO(saved(make())), engine="h5netcdf")
    if what == "pulls":
        data["pulls"][1, 1, 1, 1] += 1
    elif what == "about":
        data.attrs[what] = data.attrs[what].replace("1", "2")
    else:
        data = data.assign_coords({what: data[what] + 1})
    with pytest.raises(PrimumError, match="its checksum is wrong|is damaged, or not a file of results"):
        Results.from_bytes(bytes(data.to_netcdf(engine="h5netcdf")))


def test_load_asks_for_the_module_of_an_own_value(tmp_path):
    @dataclass(frozen=True)
    class WorstOfAll(values.SafetyValue):
        """The smallest reward."""

        @staticmethod
        def estimate(sample):
            return sample.min()

    make(value=WorstOfAll()).save(tmp_path / "run.nc")
    assert Results.load(tmp_path / "run.nc").problem.value == WorstOfAll()
    del registry._classes["values"]["worst-of-all"]
    with pytest.raises(PrimumError, match="no value named 'worst-of-all'.*import its module"):
        Results.load(tmp_path / "run.nc")


def test_words():
    assert values.CVaR(0.25).display_name == "CVaR 25 %"
    made = make(requested=9)
    assert repr(made) == (
        "<Results: besa-plus, besa-plus(floor=2); 2 arms by mean; horizon 10; 3 of 9 replications; seed 7; "
        f"Primum {made.versions['primum']}, code {made.fingerprint[:12]}>"
    )


def test_importing_primum_imports_nothing_slow():
    slow = "{'xarray', 'pandas', 'plotly', 'matplotlib', 'pydantic', 'typer', 'numba', 'scipy'}"
    code = f"import sys, primum; print(sorted({slow} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_stuck_is_judged_by_what_chance_would_give():
    """Of twenty arms, chance gives the best one a twentieth of the pulls: a fifth of that is one in a hundred."""
    problem = Problem({f"arm {i}": rewards.Bernoulli(0.5 + 0.01 * i) for i in range(20)}, "mean")
    results = simulate(problem, ["round-robin"], horizon=200, replications=3, seed=1, progress=False)
    assert list(results.summary().stuck_share) == [0.0]
