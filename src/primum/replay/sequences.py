"""trajectories(): the arms and rewards of some replications, decision by decision."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError, PrimumError, quoted
from primum.kernels import engine
from primum.policies import Policy
from primum.results import Results
from primum.runs.part import Workspace, no_pulls
from primum.runs.simulation import LARGEST_COUNT, check_fit, whole

if TYPE_CHECKING:
    from pandas import DataFrame


def trajectories(results: Results, replications: Iterable[int]) -> DataFrame:
    """The arm and the reward of every step of some replications of results, for work on logged data.

    A row for each policy, replication and step, with the columns ``policy``, ``replication``, ``step``, ``arm`` and
    ``reward``. If a policy states its allocation probabilities (`Policy.states_probabilities`), ``probability`` is that
    of the arm chosen, NaN for policies that do not. The replications are played again, and must give the pulls that the
    results have.

    >>> from primum import Problem, rewards, simulate, values
    >>> problem = Problem({"old": rewards.Constant(0.4), "new": rewards.Constant(0.5)}, values.Mean())
    >>> results = simulate(problem, ["ucb1"], horizon=3, replications=10, seed=1, progress=False)
    >>> trajectories(results, [7]).to_dict("records")[2]
    {'policy': 'ucb1', 'replication': 7, 'step': 3, 'arm': 'new', 'reward': 0.5}
    """
    import pandas

    if not isinstance(results, Results):
        raise ParameterError(f"results must be primum.Results, got {quoted(results)}")
    numbers = [whole("replications", number, 0, LARGEST_COUNT - 1) for number in replications]
    places = {number: place for place, number in enumerate(results.replications.tolist())}
    for number in numbers:
        if number not in places:
            raise ParameterError(f"these results have {len(places):,} replications, and no replication {number}")
    names, frames = np.array(results.problem.names, object), []
    states = any(policy.states_probabilities for policy in results.policies)
    for row, policy in enumerate(results.policies):
        check_fit(results.problem, policy)
        workspace = Workspace(results.problem, [policy], results.horizon, 1)
        for number in numbers:
            pulls = _pulls(workspace, results.seed, number, results.horizon)
            if (pulls[results.steps - 1] != results.pulls.values[row, places[number]]).any():
                raise PrimumError(
                    f"{policy.display_name} pulls other arms in replication {number} than in these results, which "
                    "other versions or other code made; simulate again"
                )
            arms = np.diff(pulls, axis=0, prepend=0).argmax(axis=1)
            steps = np.arange(results.horizon)
            columns: dict[str, Any] = {"policy": policy.label, "replication": number, "step": steps + 1}
            columns |= {"arm": names[arms], "reward": workspace.rewards[0, arms, pulls[steps, arms] - 1]}
            if states:
                columns["probability"] = _probabilities(workspace, policy, results.seed, number, results.horizon)
            frames.append(pandas.DataFrame(columns))
    if not frames:
        raise ParameterError("replications must name at least one replication, got none")
    return pandas.concat(frames, ignore_index=True)


def _pulls(workspace: Workspace, seed: int, replication: int, horizon: int) -> NDArray[np.int32]:
    """The pulls of each arm up to and including each step."""
    out = no_pulls(1, 1, horizon, len(workspace.arms))
    workspace.play(seed, np.array([replication]), np.arange(1, horizon + 1), out)
    pulls: NDArray[np.int32] = out[0, 0]
    return pulls


def _probabilities(
    workspace: Workspace, policy: Policy, seed: int, replication: int, horizon: int
) -> NDArray[np.float64]:
    """The stated probability of each arm that is chosen, on the rewards that the workspace has just met."""
    from primum.kernels.native import compiling

    if not policy.states_probabilities:
        return np.full(horizon, np.nan)
    ask, tell = compiling.compiled(engine.ask), compiling.compiled(engine.tell)
    histories, stated = workspace.histories[0], np.empty(horizon)
    histories.begin(seed, [replication])
    for step in range(horizon):
        arm = ask(histories.words)
        histories.check(workspace.problem.names)
        stated[step] = histories[0].scores[arm]
        tell(histories.words, arm)
        histories.check(workspace.problem.names)
    return stated
