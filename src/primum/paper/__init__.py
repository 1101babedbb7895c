"""The paper's experiments, its claims, and an honest verdict on each."""

from primum.paper.reproduce import reproduce
from primum.paper.scale import FULL, QUICK, Scale

__all__ = ["FULL", "QUICK", "Scale", "reproduce"]
