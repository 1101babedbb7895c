"""The paper's experiments, its claims, and a verdict on each."""

from primum.paper.reproduction import reproduce
from primum.paper.scale import FULL, QUICK, Scale

__all__ = ["FULL", "QUICK", "Scale", "reproduce"]
