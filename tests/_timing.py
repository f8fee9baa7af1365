"""How long something takes, whoever else uses the machine."""

import time


def cpu_seconds(run, tries=3):
    """The least processor time of a few runs: waiting for the processor does not count."""
    times = []
    for _ in range(tries):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)
