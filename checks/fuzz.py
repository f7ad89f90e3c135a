"""Fuzzes every reader and every command of ragstone, with cases that can be made again.

    python checks/fuzz.py --count 500            the cases 0 to 499 of seed 1
    python checks/fuzz.py --seed 7 --case 1234   one of them again, with what it printed
    python checks/fuzz.py --only 'check gold'    the cases of one family

A finding is a traceback or "a fault in ragstone", an exit code beyond 0 to 3, output or a file on
exit 2, a run that does not end, and, for gold sets and traces, another verdict than that of
`fuzzing/strict_reader.py`. Exit 1 if there is one.
"""

from __future__ import annotations

import argparse
import itertools
import shlex
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from fuzzing.families import family_of, make_case, must_be_complete
from fuzzing.good_inputs import write
from fuzzing.judging import findings, run
from fuzzing.workers import Result, results


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1, help="which cases (1)")
    parser.add_argument("--count", type=int, default=500, help="how many (500)")
    parser.add_argument("--case", type=int, help="only the case of this number, and what it prints")
    parser.add_argument("--only", metavar="FAMILY", help="only the cases of this family")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="write the files of failing cases here"
    )
    parser.add_argument("--workers", type=int, default=2, help="processes (2)")
    parser.add_argument("--limit", type=float, default=60, help="seconds that a case may take (60)")
    given = parser.parse_args()
    must_be_complete()
    if given.case is not None:
        return _one(given)
    started = time.monotonic()
    counted: Counter[tuple[str, str]] = Counter()
    for result in results(given.seed, _numbers(given), given.workers, given.limit):
        family = family_of(result.number)
        counted[family, "inputs"] += 1
        counted[family, "refused" if result.code == 2 else "accepted"] += result.code is not None
        counted[family, "findings"] += bool(result.findings)
        if result.findings:
            _tell(given, family, result)
    _summary(counted, time.monotonic() - started)
    return int(any(kind == "findings" and count for (_, kind), count in counted.items()))


def _numbers(given: argparse.Namespace) -> Iterator[int]:
    wanted = (n for n in itertools.count() if given.only in (None, family_of(n)))
    if given.only is not None and not any(family_of(n) == given.only for n in range(1000)):
        raise SystemExit(f"there is no family {given.only!r}")
    return itertools.islice(wanted, given.count)


def _tell(given: argparse.Namespace, family: str, result: Result) -> None:
    print(f"python checks/fuzz.py --seed {given.seed} --case {result.number}   # {family}")
    for finding in result.findings:
        print(f"    {finding}")
    sys.stdout.flush()
    if given.keep is not None:
        _keep(given.keep / f"{given.seed}-{result.number}", given.seed, result.number)


def _keep(folder: Path, seed: int, number: int) -> None:
    case = make_case(seed, number)
    write(folder, case.files)
    words = shlex.join(["ragstone", *case.words]) if not case.call else f"Report.{case.call}"
    (folder / "command.txt").write_bytes(f"{words}\n".encode("utf-8", "backslashreplace"))
    if case.stdin:
        (folder / "stdin").write_bytes(case.stdin)


def _one(given: argparse.Namespace) -> int:
    """One case again, as a process of its own, with everything that it says."""
    case = make_case(given.seed, given.case)
    if given.keep is not None:
        _keep(given.keep, given.seed, given.case)
    with tempfile.TemporaryDirectory(prefix="ragstone-fuzz-") as root:
        ran = run(case, Path(root), apart=True, limit=given.limit)
    print(
        f"{case.family}: {shlex.join(['ragstone', *case.words])}".encode(
            "utf-8", "replace"
        ).decode()
    )
    print(
        f"files: {', '.join(f'{name} ({len(data):,} bytes)' for name, data in case.files.items())}"
    )
    print(f"exit {ran.code}; written: {', '.join(ran.changed) or 'nothing'}")
    print(ran.out.decode("utf-8", "replace")[:2000] + ran.err[-6000:])
    found = findings(case, ran)
    print("\n".join(f"finding: {each}" for each in found) or "no finding")
    return int(bool(found))


def _summary(counted: Counter[tuple[str, str]], seconds: float) -> None:
    kinds = ("inputs", "accepted", "refused", "findings")
    families = list(dict.fromkeys(family for family, _ in counted))
    print(f"{'family':22}" + "".join(f"{kind:>10}" for kind in kinds))
    for family in sorted(families):
        print(f"{family:22}" + "".join(f"{counted[family, kind]:>10,}" for kind in kinds))
    sums = [sum(counted[family, kind] for family in families) for kind in kinds]
    print(f"{'all':22}" + "".join(f"{each:>10,}" for each in sums) + f"   in {seconds:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
