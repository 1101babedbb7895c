"""A value, a reward distribution and a policy for Primum."""

from primum_example.expected_utility import ExpectedUtility
from primum_example.kumaraswamy import Kumaraswamy
from primum_example.satisficer import Satisficer

__all__ = ["ExpectedUtility", "Kumaraswamy", "Satisficer"]
