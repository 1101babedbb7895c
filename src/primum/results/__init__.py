"""Results of simulations: pulls on named axes, and everything derived from them."""

from primum.results.results import Results, side_by_side

__all__ = ["Results", "side_by_side"]
