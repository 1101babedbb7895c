"""A process that evaluates reward distributions for the laboratory: ``python -m primum.lab.sandbox.worker``.

Its arguments are modules with plug-ins, which it loads. It reads pickled requests from its input and writes pickled
answers to its output. The system ends it when a request takes too much processor time, also inside compiled code; one
that takes too much memory ends it too.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
import time
from contextlib import suppress

from primum.errors import ParameterError
from primum.lab.sandbox import MEMORY_LIMIT_BYTES, OUT_OF_MEMORY


def main() -> None:
    """Answer requests until the input ends."""
    import scipy.stats  # noqa: F401  # before memory is limited, and before the first request is timed

    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # output that SciPy prints is not an answer
    if sys.argv[1:]:
        from primum.checks.loading import plugin_classes

        for place in sys.argv[1:]:
            plugin_classes(place)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(ValueError, OSError):  # not every system has such a limit
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT_BYTES, MEMORY_LIMIT_BYTES))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # it ends the process
    while True:
        try:
            function, arguments, seconds = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        began = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            answer, fault = function(*arguments), None
        except ParameterError as error:
            answer, fault = None, str(error)
        except MemoryError:
            sys.exit(OUT_OF_MEMORY)
        signal.setitimer(signal.ITIMER_PROF, 0)
        pickle.dump((answer, fault, time.process_time() - began), answers)
        answers.flush()


if __name__ == "__main__":
    main()
