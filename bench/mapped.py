"""What it costs to read a log of another shape: `ragstone score --map`, form by form.

    python bench/mapped.py [--items 300000] [--rounds 3]

The files are those of `answers.py`, and the same traces written as another tool might. Every form
must come to the numbers of the traces in our own shape. Seconds depend on the machine; what a form
takes beside our own shape is what to read.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from answers import make
from process import best, byte_code

NAMES = ("claim=out.text", "retrieved_ids=found")
FORMS: dict[str, tuple[str, ...]] = {
    "paths of keys": (*NAMES, "citations=out.cites"),
    "hits[].id": (NAMES[0], "retrieved_ids=hits[].id", "citations=out.sources[].chunk.id"),
    "one that is no list": (*NAMES, "citations=out.cite"),
    "!answered": (*NAMES, "citations=out.cites", "refused=!answered"),
    "kind{said:false,...}": (*NAMES, "citations=out.cites", "refused=kind{said:false,none:true}"),
    "a constant": (*NAMES, "citations=out.cites", "reason='mapped'"),
    "cites[]@retrieved_ids": (*NAMES, "citations=out.places[]@retrieved_ids"),
    "choices[0].text": ("claim=choices[0].text", NAMES[1], "citations=out.cites"),
}


def foreign(line: dict[str, Any]) -> dict[str, Any]:
    """A trace as another tool might write it, with what every form reads."""
    said, ids = line["answer_json"], line["retrieved_ids"]
    cited = said["citations"]
    return {
        "qid": line["qid"],
        "found": ids,
        "hits": [{"rank": rank, "id": each} for rank, each in enumerate(ids)],
        "out": {
            "text": said["claim"],
            "cites": cited,
            "cite": cited[0] if cited else None,
            "places": [ids.index(each) + 1 for each in cited if each in ids],
            "sources": [{"chunk": {"id": each}} for each in cited],
        },
        "choices": [{"text": said["claim"]}],
        "answered": said["claim"] != "not in context",
        "kind": "none" if said["claim"] == "not in context" else "said",
        "answer_json": {"constraints_echo": said.get("constraints_echo")},
    }


def with_numbers(line: dict[str, Any]) -> dict[str, Any]:
    return {**line, "qid": int(line["qid"][1:])}


def write(path: Path, given: Path, change: Any) -> None:
    with given.open() as lines, path.open("w") as out:
        out.writelines(
            json.dumps(change(json.loads(each)), ensure_ascii=False) + "\n" for each in lines
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--items", type=int, default=300_000)
    parser.add_argument("--rounds", type=int, default=3)
    wanted = parser.parse_args()
    byte_code()
    with tempfile.TemporaryDirectory(prefix="ragstone-bench-") as name:
        folder = Path(name)
        make(folder, wanted.items)
        write(folder / "foreign.jsonl", folder / "trace.jsonl", foreign)
        for each in ("gold", "trace"):
            write(folder / f"{each}_numbers.jsonl", folder / f"{each}.jsonl", with_numbers)
        print(f"{wanted.items:,} gold items and as many traces, JSONL")
        print(f"{'':24} {'seconds':>9} {'cpu':>9} {'peak MB':>9}")
        own = shown("our own shape", folder, ["gold.jsonl", "trace.jsonl"], (), wanted.rounds)
        for form, words in FORMS.items():
            flags = ("--map", *words)
            found = shown(form, folder, ["gold.jsonl", "foreign.jsonl"], flags, wanted.rounds)
            if form not in ("cites[]@retrieved_ids",) and found != own:
                raise SystemExit(f"{form}: {found} is not {own}")
        numbered = ["gold_numbers.jsonl", "trace_numbers.jsonl"]
        for ids, files in (("text", numbered), ("hash", ["gold.jsonl", "trace.jsonl"])):
            found = shown(f"--ids {ids}", folder, files, ("--ids", ids), wanted.rounds)
            if found != own:
                raise SystemExit(f"--ids {ids}: {found} is not {own}")


def shown(form: str, folder: Path, files: list[str], flags: tuple[str, ...], rounds: int) -> Any:
    """Prints what a form costs, and returns its numbers."""
    gold, trace = files
    command = [sys.executable, "-m", "ragstone", "score", "--no-config", "--json", *flags]
    cost = best([*command, "--gold", gold, "--trace", trace], rounds, folder)
    print(f"{form:24} {cost.seconds:9.2f} {cost.cpu:9.2f} {cost.peak_mb:9.0f}", flush=True)
    return json.loads(cost.output)["metrics"]


if __name__ == "__main__":
    main()
