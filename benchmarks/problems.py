"""The problems of the benchmark as plain numbers, shared by all contestants."""

from __future__ import annotations

HORIZON = 10_000

TWO_BERNOULLI = (0.5, 0.6)
TEN_BERNOULLI = (0.1, 0.2, 0.3, 0.3, 0.4, 0.4, 0.5, 0.5, 0.55, 0.6)
TWO_NORMAL = (0.5, 0.6)
THREE_NORMAL = (0.4, 0.5, 0.6)
DEVIATION = 0.25  # of all normal arms, truncated to [0, 1]

MIXTURE_ARMS, MIXTURE_SEED = 20, 1  # the paper's: four normals each, truncated to [0, 1]
RHO = 1.0
ALPHA = 0.1
