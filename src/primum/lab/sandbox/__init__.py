"""Evaluation of reward distributions in separate processes, which can be stopped."""

MEMORY_LIMIT_BYTES = 1 << 30  # address space of a process; Python and SciPy themselves take a quarter of it
OUT_OF_MEMORY = 75  # exit code of a process that needed more
