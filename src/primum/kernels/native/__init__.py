"""The compiler: the only place that uses Numba."""
