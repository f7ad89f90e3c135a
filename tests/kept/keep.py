"""Keeps what this version prints for the cases of `cases.toml`, and what it writes in format 1.

    python tests/kept/keep.py

What is kept is not edited: only files that are missing are written, one key a line.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import shlex
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from command import Ran, ragstone

import ragstone as package
from ragstone.cli.completion import places
from ragstone.cli.main import commands, parser_of

KEPT = Path(__file__).parent
CASES: dict[str, dict[str, Any]] = tomllib.loads((KEPT / "cases.toml").read_text(encoding="utf-8"))
ANSWERS = "score --gold gold.jsonl --trace trace.jsonl"
# Run in this order, in one folder with the inputs; `rows/` and `format_1/` are what they write.
WRITING = (
    *(case["command"] for case in CASES.values() if "writes" in case),
    f"{ANSWERS} --by tags level -o answers.parquet",
    "score --gold gold.jsonl --trace good.jsonl --by tags level -o ships.parquet",
    "retrieval --gold retrieval_gold.jsonl --log live.jsonl --manifest manifest.jsonl "
    "-o retrieval.parquet",
    "gold freeze gold.jsonl --who ann --why 'the first set'",
    f"{ANSWERS} --ledger ledger --record --label model=v1",
    "runs accept last --name main --ledger ledger --anyway",
)


def words_of(case: str) -> list[str]:
    """The command of a case, as it was run."""
    words = shlex.split(CASES[case]["command"])
    if "--compact" not in words:
        words.append("--json")
    return words if "--config" in words else [*words, "--no-config"]


def one_key_a_line(whole: dict[str, Any]) -> bytes:
    lines = (f"{json.dumps(key)}:{_compact(value)}" for key, value in whole.items())
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def printed(work: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """What every command prints, by the name of its file."""
    for name, case in CASES.items():
        if "report" not in case:
            yield f"reports/{name}.json", _run(work, *words_of(name)).json
    decisions = {}
    for toml in sorted(path.name for path in (KEPT / "files").glob("*.toml")):
        ran = _run(work, "gate", "--config", toml, "--json")
        gates = {gate: [each["status"], each["value"]] for gate, each in ran.json["gates"].items()}
        decisions[toml] = {"code": ran.code, "gates": gates}
    yield "decisions.json", decisions
    compared = _run(work, "compare", "answers.parquet", "ships.parquet", "--no-config", "--json")
    yield "format_1/compare.json", compared.json
    flags = {
        place.name: sorted(name for flag in place.flags for name in flag.names)
        for place in places(commands(), parser_of)
    }
    yield "format_1/flags.json", flags
    yield "format_1/calls.json", {name: _parameters(name) for name in sorted(package.__all__)}


def _parameters(name: str) -> list[str] | None:
    """What a function takes by name; of a class the names alone are kept."""
    call = getattr(package, name)
    if not inspect.isfunction(call):
        return None
    given = inspect.signature(call).parameters.values()
    return [each.name for each in given if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]


def _run(work: Path, *words: str) -> Ran:
    ran = ragstone(*words, cwd=work)
    assert ran.code < 2, ran.err
    return ran


def written(work: Path) -> Iterator[tuple[str, Path]]:
    """The files that commands wrote in the folder, by where they are kept."""
    for case in CASES.values():
        for name in case.get("writes", ()):
            yield f"rows/{Path(name).name}", work / name
    for name in ("answers.parquet", "ships.parquet", "retrieval.parquet", "gold.lock"):
        yield f"format_1/{name}", work / name
    ledger = work / "ledger"
    (run,) = (ledger / "runs").iterdir()
    _one_key_a_line_in(run)
    for path in sorted(path for path in ledger.rglob("*") if path.is_file()):
        yield f"format_1/ledger/{path.relative_to(ledger)}", path


def _one_key_a_line_in(run: Path) -> None:
    """The reports of a run mean the same, and so do the hashes by which the run knows its files."""
    listed = json.loads((run / "files.json").read_bytes())
    for name in ("report.json", "state.json"):
        (run / name).write_bytes(one_key_a_line(json.loads((run / name).read_bytes())))
        listed["files"][name] = hashlib.sha256((run / name).read_bytes()).hexdigest()
    (run / "files.json").write_bytes(one_key_a_line(listed))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / "files"
        shutil.copytree(KEPT / "files", work)
        for line in WRITING:
            _run(work, *shlex.split(line), "--no-config", "--quiet")
        files = {name: path.read_bytes() for name, path in written(work)}
        shutil.rmtree(work / "ledger")
        (work / "migrated.jsonl").unlink()
        files |= {name: one_key_a_line(whole) for name, whole in printed(work)}
    # The ledger is one thing: files of two runs do not make one.
    has_ledger = (KEPT / "format_1" / "ledger").exists()
    for name, data in files.items():
        path = KEPT / name
        if not path.exists() and not (has_ledger and "/ledger/" in name):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            print(f"wrote {name}")


if __name__ == "__main__":
    main()
