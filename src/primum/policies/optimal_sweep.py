"""Dynamic programming over the counts of a trial with two arms and outcomes 0 and 1.

A state has the patients and successes of both arms. The states after equally many patients are a *layer*, in the order
of the patients of arm 1, then the successes of arm 0, then those of arm 1. Probabilities are those at p = 1/2 for both
arms, and likelihood ratios take them to any other scenario. All arithmetic is additions and multiplications in a fixed
order, which every processor rounds alike, so that the same numbers give the same decisions everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from primum.kernels.contract import kernel
from primum.policies.counts import Array

WORD = 32  # decisions in a word of the table
TWO_SIDED, LESS = "two-sided", "less"


@kernel
def layer_size(patients: int) -> int:
    """The number of states after so many patients."""
    return (patients + 1) * (patients + 2) * (patients + 3) // 6


@kernel
def block_start(patients: int, treated: int) -> int:
    """Where the states with so many of the patients on arm 1 begin in their layer."""
    return (patients + 2) * treated * (treated + 1) // 2 - treated * (treated + 1) * (2 * treated + 1) // 6


@kernel
def word_count(patients: int) -> int:
    """The number of words with the decisions after so many patients."""
    return (layer_size(patients) + WORD - 1) // WORD


def add_likelihoods(powers: Any, weights: Any, patients: int, out: Any) -> None:
    """Add weighted likelihood ratios of scenarios to the last layer.

    `powers` has, for each scenario, the powers of 2 p0, 2 - 2 p0, 2 p1 and 2 - 2 p1. The weight of a scenario is
    weights[., 0] + weights[., 1] times the patients on arm 1.
    """
    for n1 in range(patients + 1):
        n0, first = patients - n1, block_start(patients, n1)
        for i in range(len(powers)):
            weight = weights[i, 0] + weights[i, 1] * n1
            for s0 in range(n0 + 1):
                of_control = weight * (powers[i, 0, s0] * powers[i, 1, n0 - s0])
                row = out[first + s0 * (n1 + 1) : first + (s0 + 1) * (n1 + 1)]
                successes, failures = powers[i, 2, : n1 + 1], powers[i, 3, : n1 + 1]
                for s1 in range(n1 + 1):
                    row[s1] += of_control * (successes[s1] * failures[n1 - s1])


def set_worth(
    share: Any, effect: Any, null: Any, share_weight: float, power_weight: float, patients: int, out: Any
) -> None:
    """What each end is worth: its share, and what it adds to declare a difference there, if that is positive."""
    for n1 in range(patients + 1):
        first = block_start(patients, n1)
        for s0 in range(patients - n1 + 1):
            at = first + s0 * (n1 + 1)
            for s1 in range(n1 + 1):
                gain = power_weight * effect[at + s1] - null[s0 + s1]
                out[at + s1] = share_weight * share[at + s1] + (gain if gain > 0.0 else 0.0)


@kernel
def decide_row(now: Any, same: Any, succeeded: Any, treated: Any, better: float, worse: float, choices: Any) -> None:
    """The values and decisions of states that differ only in the successes of arm 1."""
    for s1 in range(now.size):
        control, other = same[s1] + succeeded[s1], treated[s1] + treated[s1 + 1]
        choices[s1] = other > control
        now[s1] = better * (other if other > control else control) + worse * (control if other > control else other)


@kernel
def pack_bits(choices: Any, words: int, table: Any, first: int) -> None:
    """Write decisions, a byte each, into words of the table."""
    eights = choices.view(np.uint64)
    for word in range(words):
        bits = np.uint64(0)
        for k in range(WORD // 8):
            eight = eights[word * (WORD // 8) + k]
            eight |= eight >> np.uint64(7)
            eight |= eight >> np.uint64(14)
            eight |= eight >> np.uint64(28)
            bits |= (eight & np.uint64(255)) << np.uint64(8 * k)
        table[first + word] = np.uint32(bits)


@kernel
def unpack_bits(table: Any, first: int, words: int, choices: Any) -> None:
    """Read decisions, a byte each, from words of the table."""
    for word in range(words):
        bits = table[first + word]
        for k in range(WORD):
            choices[word * WORD + k] = (bits >> np.uint32(k)) & np.uint32(1)


def sweep_backward(values: Any, spare: Any, patients: int, coin: float, choices: Any, starts: Any, table: Any) -> float:
    """The value before the first patient; the decisions go to the table.

    `values` has those of the ends. The layers take turns in it and in `spare`; `choices` is scratch for one layer.
    """
    better, worse = 0.5 * (1.0 - 0.5 * coin), 0.25 * coin  # a success and a failure have probability 1/2 each
    for t in range(patients - 1, -1, -1):
        words = word_count(t)
        choices[layer_size(t) : words * WORD] = 0
        for n1 in range(t + 1):
            here, stay, move = block_start(t, n1), block_start(t + 1, n1), block_start(t + 1, n1 + 1)
            width = n1 + 1
            for _ in range(t - n1 + 1):
                decide_row(
                    spare[here : here + width],
                    values[stay : stay + width],
                    values[stay + width : stay + 2 * width],
                    values[move : move + width + 1],
                    better,
                    worse,
                    choices[here : here + width],
                )
                here += width
                stay += width
                move += width + 1
        pack_bits(choices, words, table, starts[t])
        values, spare = spare, values
    return values[0]


@kernel
def allocate_row(
    chances: Any, choices: Any, better: float, worse: float, same: Any, succeeded: Any, treated: Any
) -> None:
    """Add the probabilities of states that differ only in the successes of arm 1 to those of the next layer."""
    for s1 in range(chances.size):
        of_control = chances[s1] * (worse if choices[s1] else better)
        same[s1] += of_control
        succeeded[s1] += of_control
    for s1 in range(chances.size):
        treated[s1] += chances[s1] * (better if choices[s1] else worse)
    for s1 in range(chances.size):
        treated[s1 + 1] += chances[s1] * (better if choices[s1] else worse)


def sweep_forward(chances: Any, spare: Any, patients: int, coin: float, choices: Any, starts: Any, table: Any) -> bool:
    """The probabilities of the ends under the decisions of the table; whether they are in `spare`."""
    better, worse = 0.5 * (1.0 - 0.5 * coin), 0.25 * coin
    chances[0] = 1.0
    for t in range(patients):
        spare[: layer_size(t + 1)] = 0.0
        unpack_bits(table, starts[t], word_count(t), choices)
        for n1 in range(t + 1):
            here, stay, move = block_start(t, n1), block_start(t + 1, n1), block_start(t + 1, n1 + 1)
            width = n1 + 1
            for _ in range(t - n1 + 1):
                allocate_row(
                    chances[here : here + width],
                    choices[here : here + width],
                    better,
                    worse,
                    spare[stay : stay + width],
                    spare[stay + width : stay + 2 * width],
                    spare[move : move + width + 1],
                )
                here += width
                stay += width
                move += width + 1
        chances, spare = spare, chances
    return patients % 2 == 1


def powers_of(numbers: Any, patients: int) -> Array:
    """The powers of each number from 0 to `patients`, by multiplication."""
    numbers = np.asarray(numbers, np.float64)
    factors = np.concatenate([np.ones((*numbers.shape, 1)), np.repeat(numbers[..., None], patients, axis=-1)], axis=-1)
    return np.multiply.accumulate(factors, axis=-1)


def null_likelihood(p: Sequence[float] | Array, weights: Sequence[float] | Array, patients: int) -> Array:
    """The weighted likelihood ratio if both arms have a success probability p, by all successes together."""
    total = np.zeros(patients + 1)
    for probability, weight in zip(p, weights, strict=True):
        total += weight * (powers_of(2 * probability, patients) * powers_of(2 - 2 * probability, patients)[::-1])
    return total


class Programme:
    """The dynamic programme of one number of patients, prior and coin, for any multipliers.

    `share` is the fraction of patients on the better arm, averaged over each pair of the prior and its mirror image,
    times the likelihood ratio of the end. `effect` is the likelihood ratio that counts for the power if the end
    declares a difference: that of the pairs in the direction that is tested, or if both are, half that of the
    direction with the larger one, which is the one that is declared.
    """

    def __init__(self, patients: int, lower: Sequence[float], higher: Sequence[float], sided: str, coin: float) -> None:
        from primum.kernels.native import compiling

        self._native = compiling.compiled
        self.patients, self.coin = patients, coin
        better_is_other = np.array([lower, higher]).T
        better_is_control = better_is_other[:, ::-1]
        share, each = 0.5 / (len(lower) * patients), 1.0 / len(lower)
        self.share = self._likelihoods(better_is_other, 0.0, share)
        self.share += self._likelihoods(better_is_control, share * patients, -share)
        if sided == TWO_SIDED:
            self.effect = self._likelihoods(better_is_other, each / 2)
            np.maximum(self.effect, self._likelihoods(better_is_control, each / 2), out=self.effect)
        else:
            self.effect = self._likelihoods(better_is_control if sided == LESS else better_is_other, each)
        self._layers = np.empty_like(self.share), np.empty_like(self.share)
        self._choices = np.zeros(word_count(patients) * WORD, np.uint8)
        self.starts = np.cumsum([0, *(word_count(t) for t in range(patients))])
        self.table = np.zeros(self.starts[-1], np.uint32)

    def _likelihoods(self, pairs: Array, weight: float, for_each_treated: float = 0.0) -> Array:
        factors = np.stack([2 * pairs[:, 0], 2 - 2 * pairs[:, 0], 2 * pairs[:, 1], 2 - 2 * pairs[:, 1]], axis=1)
        out = np.zeros(layer_size(self.patients))
        weights = np.full((len(pairs), 2), (weight, for_each_treated))
        self._native(add_likelihoods)(powers_of(factors, self.patients), weights, self.patients, out)
        return out

    def decide(self, share_weight: float, power_weight: float, null: Array) -> float:
        """The largest value of share_weight x share + power_weight x power - error, over all rules and tests.

        The error is the probability to declare a difference in the weighted scenarios of `null`, which has their
        likelihood ratio by all successes together. The decisions of the best rule are in the table afterwards.
        """
        values, spare = self._layers
        self._native(set_worth)(self.share, self.effect, null, share_weight, power_weight, self.patients, values)
        sweep = self._native(sweep_backward)
        return float(sweep(values, spare, self.patients, self.coin, self._choices, self.starts, self.table))

    def follow(self) -> Array:
        """The probabilities at 1/2 of all ends under the decisions of the table; valid until the next sweep."""
        chances, spare = self._layers
        sweep = self._native(sweep_forward)
        return self._layers[sweep(chances, spare, self.patients, self.coin, self._choices, self.starts, self.table)]
