"""How much work something is, whatever machine it runs on: its function calls, counted.

A bound on seconds fails on a slow machine and says nothing on a quick one; what a test of cost means is that the work
grows as it should, and that is a count. Loops within one call of NumPy are not seen.
"""

import sys


def calls(run):
    """The number of calls, of Python's functions and of C's (each step of a generator is one), while `run()` runs."""
    count = 0

    def see(frame, event, arg):
        nonlocal count
        if event == "call" or event == "c_call":
            count += 1

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count
