"""Loops: `sg.scan`, and rounds that are found on the tape.

recurrences  loops that are found: on the tape, given to `sg.scan`; in a trace
round_kinds  rounds of a few kinds: Python branches on data, or one round differs
rounds       the rounds of a loop on the tape, read as the step of a scan
scan         ``sg.scan``: a loop that carries a state, as one operation; and which loops have a program of their step
scan_course  a loop by the program of its step: values, gradient, second derivatives, by one equation for all steps
"""
