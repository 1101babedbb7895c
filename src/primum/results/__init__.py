"""Results of simulations: pulls on named axes, and everything derived from them."""

from primum.results.joining import side_by_side
from primum.results.results import Results

__all__ = ["Results", "side_by_side"]
