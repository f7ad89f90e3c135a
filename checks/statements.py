"""32 things that Ragstone says, in cases whose truth is computed here: none false, none misleading.

    python checks/statements.py              # every case; exit code 1 where a sentence is not true
    python checks/statements.py --case 3 16  # these cases

A case builds its files, runs the command and picks the sentence. What is true of it comes from the
files and from formulas that share no code with the product: binomial tails and score intervals.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
from collections.abc import Sequence

from saying import of_answers, of_changes, of_logs
from saying.asking import CASES, Said

PARTS = (of_answers, of_changes, of_logs)


def checked(number: int) -> list[Said]:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return [*CASES[number][1]()]


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--case", type=int, nargs="+", choices=CASES, default=sorted(CASES))
    untrue = 0
    for number in parser.parse_args(given).case:
        print(f"{number:2}  {CASES[number][0]}")
        # Several lines of a report may say the same.
        for said in dict.fromkeys(checked(number)):
            untrue += not said.is_true
            print(f"      {'true ' if said.is_true else 'FALSE'}  {said.sentence}")
            if not said.is_true:
                print(f"             {said.truth}")
    print(f"{untrue} sentences are not true" if untrue else "every sentence is true")
    return min(untrue, 1)


if __name__ == "__main__":
    sys.exit(main())
