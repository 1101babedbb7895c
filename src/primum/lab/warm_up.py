"""Compilation before the first visitor needs it."""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing

from rich.console import Console

from primum import policies, rewards, values
from primum.errors import PrimumError
from primum.kernels.native import compiling
from primum.lab.drafts.catalogue import catalogue
from primum.lab.drafts.presets import OPENING, preset
from primum.lab.export import files
from primum.lab.export.figures import drawn
from primum.lab.http.static_files import FILES
from primum.lab.jobs.manager import JobManager
from primum.lab.trials.computing import FIRST_SECONDS, Computation
from primum.lab.trials.schemas import FEWEST_REPLICATIONS
from primum.lab.trials.settings import Trial, TrialSettings
from primum.lab.trials.stopping import Deadline
from primum.policies import Policy
from primum.problem import Problem
from primum.runs.part import compile_for
from primum.runs.progress import bars
from primum.runs.simulation import check_fit
from primum.values import SafetyValue
from primum.web.static_files import PLOTLY

COMMON = (policies.BesaPlus, policies.Besa, policies.Ucb1, policies.Thompson)
# one of each kind of record, the commonest first: moments, tail, sample
VALUES: tuple[SafetyValue, ...] = (values.Mean(), values.CVaR(), values.MeanGini())
FIRST_START_SECONDS = 30  # on a machine with two processors
log = logging.getLogger("primum.lab")


def prepare(manager: JobManager) -> None:
    """Run the experiment that the page opens with, and prepare whatever else the first visitor would wait for.

    This compiles (at the first start), imports plotting packages, and compresses static files.
    """
    console, activity = Console(stderr=True), "Loading"
    if not compiling.has_native_code():
        activity = "Compiling"
        console.print(f"Compiling (first start only, about {FIRST_START_SECONDS} s) ...", highlight=False)
    question = preset(OPENING, {})
    experiment = question.experiment()
    problem = experiment.problem()
    try:
        with bars() as bar:
            task = bar.add_task(activity, total=len(experiment.policies) + 1)
            for policy in experiment.policies:
                bar.update(task, description=f"{activity} {policy.display_name}")
                compile_for(problem, [policy])
                bar.advance(task)
            bar.update(task, description="Running the first experiment")
            id = manager.submit(question).id
            asyncio.run(_finish(manager, id))
        results = manager.results(id)
        files.summary(results)
        drawn(results, "regret", "json", statistic="mean", log=False, hidden=())
        catalogue()
        FILES.file(PLOTLY)
    except PrimumError as error:  # the limits are very small
        console.print(f"Cannot run the first experiment: {error}", highlight=False)


async def _finish(manager: JobManager, id: str) -> None:
    async with aclosing(manager.follow(id)) as changes:
        async for _ in changes:
            pass


def compile_trials(manager: JobManager) -> None:
    """Compute what the page of trials opens with, and compile what simulates trials."""
    Computation(Trial(TrialSettings()), manager.trials)
    late = Computation(Trial(TrialSettings(patients=20, delay=10)), manager.trials)
    late.simulate(FEWEST_REPLICATIONS, Deadline(FIRST_SECONDS))


def compile_policies() -> None:
    """Compile all built-in policies under each kind of value, the commonest first."""
    others = [getattr(policies, name) for name in policies.__all__ if getattr(policies, name) not in (*COMMON, Policy)]
    for value in VALUES:
        problem = Problem({"a": rewards.Bernoulli(0.4), "b": rewards.Bernoulli(0.6)}, value)
        for cls in (*COMMON, *others):
            try:
                policy = cls()
                check_fit(problem, policy)
                compile_for(problem, [policy])
            except PrimumError as error:  # it does not fit the value, or has parameters without a default
                log.debug("not compiled: %s", error)
