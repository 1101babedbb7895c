"""Slow, obvious twins of the kernels: plain Python, no Numba, no tricks."""
