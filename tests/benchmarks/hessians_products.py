"""`hessians.py --products`: gradients, products, Laplacians, series and batches, timed beside the peers.

The idea to hold: of PyTorch's two ways (torch.func and the tape) the faster counts; all columns of a race must agree,
with each other and with the truth where there is one.
"""

import sys
from time import perf_counter

import hessians_sciences
import hessians_statistics
import numpy as np
from _product_problems import races
from _timing import Race
from hessians_peers import attempt, disagreements, load_peers

COLUMNS = ("symgrad", "jax", "torch", "other way")
HEAD = ("ms", *COLUMNS, "jax / symgrad", "torch / symgrad", "other / symgrad")

REGISTERED_BY = (hessians_sciences, hessians_statistics)  # importing them registers their problems


def agreeing(calls, truth, failed):
    """Leave out the calls that raise or differ, and tell `failed`."""
    results = {name: attempt(name, lambda call=call: [np.asarray(call())], failed) for name, call in calls.items()}
    results = {name: result for name, result in results.items() if result is not None}
    if truth is not None:
        results["the truth"] = [truth]
    wrong = disagreements(results)
    for name, sentence in wrong.items():
        if name != "the truth" or len(wrong) == 1:
            failed(sentence)
    return {name: call for name, call in calls.items() if name in results and name not in wrong}


def time_race(calls, args):
    """{column: least milliseconds}, torch's two ways as one."""
    race = Race(calls)
    start = perf_counter()
    for done in range(args.repeat):
        if done >= 3 and perf_counter() - start > args.seconds:
            break
        race.run(1)
    best = race.best
    if "torch tape" in best:
        best["torch"] = min(best.pop("torch tape"), best.get("torch", float("inf")))
    return best


def time_products(args, table, report_failure):
    """Print the table; `table` is the module that prints rows."""
    peers = {peer.name: peer for peer in load_peers([name for name in args.peers if name != "numpy"])}
    known = [key for key, *_ in races(tiny=True)]
    if unknown := set(args.only or ()) - set(known):
        sys.exit(f"no row is named {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    table.print_head(HEAD, args.markdown)
    for key, title, make, truth in races(args.tiny):
        if args.only and key not in args.only:
            continue

        def failed(text, key=key):
            report_failure(f"{key}: {text}")

        calls = agreeing(dict(make(peers)), truth, failed)
        best = dict.fromkeys(calls, float("nan")) if args.check else time_race(calls, args)
        ratios = (table.ratio(best, (name, "symgrad")) for name in COLUMNS[1:])
        cells = (table.cell(best.get(name)) for name in COLUMNS)
        table.print_row([f"{title} ({key})", *cells, *map(table.cell, ratios)], args.markdown)
    print("\n" + table.describe(list(peers), args))
