"""A user's git repository: on its base branch a pipeline answers rightly, on others it does not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from command import ragstone

PIPELINE = """\
import json, pathlib
gold = [json.loads(line) for line in open("eval/gold.jsonl")]
answers = json.load(open("answers.json"))
pathlib.Path("runs").mkdir(exist_ok=True)
with open("runs/trace.jsonl", "w") as trace:
    for item in gold:
        cited = item.get("gold_citations", [])
        answer = {"claim": answers[item["qid"]], "citations": cited}
        line = {"qid": item["qid"], "retrieved_ids": cited or ["about.md#1"], "answer_json": answer}
        trace.write(json.dumps(line) + "\\n")
"""
RIGHT = {
    "Q001": "Deleted files are kept for 30 days.",
    "Q002": "No, the map rejects null keys.",
    "Q003": "not in context",
}


class Repository:
    """What `ragstone init` writes, with a pipeline, on the branch main."""

    def __init__(self, path: Path, ci: str = "github") -> None:
        self.path = path
        path.mkdir()
        self.git("init", "-q", "-b", "main")
        assert ragstone("init", "--quiet", "--ci", ci, path).code == 0
        (path / "pipeline.py").write_text(PIPELINE)
        (path / ".gitignore").write_text("runs/\nreport.*\n")
        self.commit(RIGHT)

    def git(self, *words: str) -> str:
        known = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        ran = subprocess.run(
            ["git", *known, *words], cwd=self.path, check=True, capture_output=True, text=True
        )
        return ran.stdout

    def commit(self, answers: dict[str, str]) -> None:
        (self.path / "answers.json").write_text(json.dumps(answers))
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "answers")

    def branch(self, name: str, **answers: str) -> None:
        """A branch off main whose pipeline gives these answers instead."""
        self.git("checkout", "-q", "-b", name, "main")
        self.commit(RIGHT | answers)
        self.git("checkout", "-q", "main")
