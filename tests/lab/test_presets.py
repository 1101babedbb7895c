"""Questions to begin with."""

import pytest

from primum.errors import ParameterError, UnknownNameError
from primum.lab.drafts.presets import OPENING, preset, presets
from primum.lab.http.schemas import Question
from primum.problem import Problem
from primum.runs.simulation import check_fit

NAMES = [each.name for each in presets()]


def problem(question: Question) -> Problem:
    return question.experiment().problem()


def test_the_page_opens_with_one_of_them():
    assert OPENING in NAMES


@pytest.mark.parametrize("each", presets(), ids=NAMES)
def test_each_can_be_run(each):
    question = preset(each.name, {})
    assert question.title == each.title
    assert Question.model_validate_json(question.model_dump_json()) == question
    for policy in question.policies:
        check_fit(problem(question), policy)
    short = question.experiment().replace(horizon=30, replications=2)
    assert short.run(threads=1, progress=False).pulls.sizes["policy"] == len(question.policies)


@pytest.mark.parametrize("each", presets(), ids=NAMES)
def test_each_option_draws_other_arms(each):
    for option in each.options:
        first, last = (preset(each.name, {option.name: end}) for end in (option.low, option.high))
        assert first == preset(each.name, {option.name: option.low}), "the same again"
        assert first.arms != last.arms
        assert preset(each.name, {option.name: option.default}) == preset(each.name, {})
        for beyond in (option.low - 1, option.high + 1):
            with pytest.raises(
                ParameterError, match=rf"{each.name}: {option.name} must be a whole number in \[.*, got {beyond}"
            ):
                preset(each.name, {option.name: beyond})
    assert [len(preset(each.name, {"arms": 7}).arms) for option in each.options if option.name == "arms"] in ([], [7])


def test_what_the_texts_promise():
    gamble = problem(preset("constant-against-uniform", {}))
    assert gamble.gaps.tolist() == pytest.approx([0.1, 0])
    trial = problem(preset("veterans-lung-cancer", {}))
    assert trial.best.tolist() == [True, False]
    assert Problem(trial.arms, "mean").best.tolist() == [False, True]
    assert problem(preset("equal-arms", {"arms": 6})).best.all()


def test_names_and_options_that_there_are_not():
    with pytest.raises(UnknownNameError, match="no preset named 'bernouli'; did you mean 'bernoulli'\\?"):
        preset("bernouli", {})
    with pytest.raises(ParameterError, match="equal-arms: no option named 'seed'; known: arms"):
        preset("equal-arms", {"seed": 1})
