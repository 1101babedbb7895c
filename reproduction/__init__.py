"""The paper's experiments, its claims, and a verdict on each."""

from reproduction.running import reproduce
from reproduction.scale import FULL, QUICK, Scale

__all__ = ["FULL", "QUICK", "Scale", "reproduce"]
