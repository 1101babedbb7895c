"""Bounds on regret, the counterexample to the paper's Theorem 1, and the growth of regret."""

from primum.theory.bounds import LowerBound, Theorem1, UpperBound, k_inf, least_stuck, lower_bound, upper_bound

__all__ = ["LowerBound", "Theorem1", "UpperBound", "k_inf", "least_stuck", "lower_bound", "upper_bound"]
