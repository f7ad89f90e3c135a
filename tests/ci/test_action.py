"""The GitHub Action: its steps, run in a shell with a runner's environment on a real repository.

The base branch has a pipeline that answers rightly; other branches break it. Comments go to a real
server on this machine.
"""

from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from ci.github_jobs import GitHub
from ci.repository import RIGHT
from ci.workflow_runner import FAKES, PROJECT, TOKEN

MARKER = "<!-- ragstone action: gate -->"
SCRIPTS = ("install", "accept", "finish")

# Longer than a clipped text may be.
LONG = f"It was founded by two friends{', and nobody knows when that was' * 4}, END"


def declared() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((PROJECT / "action.yml").read_text(encoding="utf-8"))
    return found


# The path of a change: base, red pull request, mended pull request.


def test_a_pull_request_is_compared_with_the_accepted_run_of_its_base(github: GitHub) -> None:
    github.repository.branch("careless", Q003="It was founded by two friends.")
    base = github.push()
    assert base.code == 0, base.log
    assert base.outputs["decision"] == "PASS"
    assert "Accept the run" in base.names()
    assert github.comments.requests == []

    red = github.pull_request("careless")
    assert red.code == 1, red.log
    assert red.outputs["decision"] == "FAIL"
    assert red.outputs["exit-code"] == "1"
    assert re.fullmatch("[0-9a-f]{64}", red.outputs["digest"])
    assert red.outputs["digest"] != base.outputs["digest"]
    (comment,) = github.comments.held
    said = comment["body"]
    assert said.startswith(MARKER)
    assert "DO NOT SHIP" in said
    assert "### answers: Broke" in said
    assert "<code>Q003</code>" in said
    assert "Compared with the accepted run of <code>main</code>" in said
    assert "[the whole report](https://github.test/artifacts/ragstone-gate)" in said
    assert "[this run](https://github.test/owner/name/actions/runs/1002)" in said
    page = github.runner.artifacts / "ragstone-gate" / "report.html"
    assert "Q003" in page.read_text(encoding="utf-8")


def test_the_second_run_updates_the_comment_of_the_first(github: GitHub) -> None:
    github.repository.branch("careless", Q003="It was founded by two friends.")
    github.push()
    assert github.pull_request("careless").code == 1
    github.repository.git("checkout", "-q", "careless")
    github.repository.commit(RIGHT)
    mended = github.pull_request("careless")
    assert mended.code == 0, mended.log
    (comment,) = github.comments.held
    assert "## ✅ SHIP" in comment["body"] and "DO NOT SHIP" not in comment["body"]
    written = [method for method, path in github.comments.requests if method != "GET"]
    assert written == ["POST", "PATCH"]
    assert github.comments.tokens == {f"Bearer {TOKEN}"}


def test_annotations_and_the_summary_say_what_broke(github: GitHub) -> None:
    github.repository.branch("careless", Q003="It was founded by two friends.")
    github.push()
    job = github.pull_request("careless")
    assert any(each.startswith("::error title=gate failed") for each in job.annotations)
    broke = [each for each in job.annotations if "title=broke%3A Q003" in each]
    assert len(broke) == 1
    assert broke[0].startswith("::warning file=eval/gold.jsonl,line=3,")
    assert "DO NOT SHIP" in job.summary and "### answers: Broke" in job.summary
    assert MARKER not in job.summary


def test_without_an_accepted_run_nothing_is_compared_and_that_is_said(github: GitHub) -> None:
    github.repository.branch("first")
    job = github.pull_request("first", compare_args="--max-regression precision=0.02")
    assert job.code == 0, job.log
    says = "Compared with nothing: <code>main</code> has no accepted run yet"
    assert says in job.summary and says in github.comments.held[0]["body"]


def test_a_regression_within_the_gates_is_red_by_its_own_margin(github: GitHub) -> None:
    github.repository.branch("worse", Q001="For a while.")
    loose = {"args": "--gates precision=0.1 chr=0.1 citation_precision=0.1"}
    assert github.push(**loose).code == 0
    assert github.pull_request("worse", **loose).code == 0
    margin = "--max-regression 'precision=0.02'"
    assert github.pull_request("worse", **loose, compare_args=margin).code != 0


# What is accepted.


def test_a_failing_push_leaves_the_accepted_run_as_it_is(github: GitHub) -> None:
    github.repository.branch("careless", Q003="It was founded by two friends.")
    github.push()
    github.repository.git("merge", "-q", "careless")
    failing = github.push()
    assert failing.code == 1
    assert "This run did not pass" in failing.summary
    github.repository.branch("next", Q003="It was founded by three.")
    assert "### answers: Broke" in github.pull_request("next").summary


def test_the_newest_accepted_run_is_the_one(github: GitHub) -> None:
    github.push()
    github.repository.commit(RIGHT | {"Q001": "We keep them for 30 days."})
    github.push()
    github.repository.branch("change", Q001="For a while.")
    assert "- **A said**: We keep them for 30 days." in github.pull_request("change").summary
    assert len(list((github.runner.caches / "refs_heads_main").iterdir())) == 2


def test_a_pull_request_accepts_nothing(github: GitHub) -> None:
    github.repository.branch("change")
    for event in ("pull_request", "pull_request_target"):
        told = {"pull_request": {"number": 1, "base": {"ref": "main"}}}
        assert github.job(event, "change", told).code == 0
    assert not github.runner.caches.exists()


def test_branches_that_begin_alike_have_accepted_runs_of_their_own(github: GitHub) -> None:
    github.repository.branch("main-2")
    github.push("main-2")
    github.repository.branch("change")
    assert "Compared with nothing" in github.pull_request("change").summary
    assert "Compared with the accepted run" in github.pull_request("change", base="main-2").summary


def test_a_merge_queue_is_compared_with_its_base_and_has_no_comment(github: GitHub) -> None:
    github.push()
    github.repository.branch("queue", Q003="It was founded by two friends.")
    github.runner.extra["GITHUB_BASE_REF"] = "main"
    job = github.job("merge_group", "queue", {"merge_group": {"base_ref": "refs/heads/main"}})
    assert job.code == 1
    assert "Compared with the accepted run of <code>main</code>" in job.summary
    assert "This run belongs to no pull request" in job.log


# The exit codes that are left.


def test_wrong_input_is_two_and_the_comment_says_so(github: GitHub) -> None:
    github.repository.branch("careless", Q003="It was founded by two friends.")
    github.pull_request("careless")
    github.repository.git("checkout", "-q", "careless")
    gold = github.repository.path / "eval/gold.jsonl"
    gold.write_text(gold.read_text() + '{"qid": "<b>@octocat", "answerable": "yes"}\n')
    pipeline = github.repository.path / "pipeline.py"
    pipeline.write_text(pipeline.read_text().replace("for item in gold:", "for item in gold[:3]:"))
    github.repository.commit(RIGHT)
    job = github.pull_request("careless")
    assert job.code == 2, job.log
    assert (job.outputs["decision"], job.outputs["report"]) == ("", "")
    (comment,) = github.comments.held
    assert comment["body"].startswith(f"{MARKER}\n## ⚠️ NOTHING WAS SCORED")
    assert "eval/gold.jsonl&#58;4&#58; answerable&#58; expected true or false" in comment["body"]
    assert "DO NOT SHIP" not in comment["body"]
    assert "<b>" not in comment["body"] and "@octocat" not in comment["body"]
    (told,) = [each for each in job.annotations if each.startswith("::error ")]
    assert told.startswith(
        "::error title=ragstone%3A nothing was scored::"
        'eval/gold.jsonl:4: answerable: expected true or false, found "yes"%0Aragstone: 1 problem'
    )
    assert "Keep the page" not in job.names()


def test_unmeasurable_is_three(github: GitHub) -> None:
    github.repository.branch("change")
    job = github.pull_request("change", args="--confidence 0.95")
    assert job.code == 3, job.log
    assert job.outputs["decision"] == "UNMEASURABLE"
    assert "UNDECIDED" in github.comments.held[0]["body"]


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({"texts": "some"}, "the input texts is one of clip, all, none"),
        ({"args": "--gates 'precision=1"}, "the input args has a quotation mark"),
        ({"id": "a b"}, "the input id may have up to 40 letters"),
        ({"venv": "/nowhere"}, "there is no bin/ragstone in it that runs"),
        ({"venv": "", "source": "ragstone"}, "the input source is ragstone; give a path"),
        ({"venv": "", "python": "python0"}, "Ragstone needs Python 3.11 or newer, and python0 is"),
        ({"config": "none.toml"}, "none.toml does not exist"),
    ],
)
def test_a_wrong_input_of_the_action_is_told(
    github: GitHub, inputs: dict[str, str], says: str
) -> None:
    github.repository.branch("change")
    job = github.pull_request("change", **inputs)
    assert job.code == 2
    assert any(each.startswith("::error") and says in each for each in job.annotations), job.log


# What is shown, to whom, and by whom.


def test_texts_are_clipped_unless_more_is_asked_for(github: GitHub) -> None:
    github.repository.branch("careless", Q003=LONG)
    for texts, shown in {"clip": "It was founded", "all": "END", "none": None}.items():
        job = github.pull_request("careless", **({} if texts == "clip" else {"texts": texts}))
        page = (github.runner.artifacts / "ragstone-gate/report.html").read_text(encoding="utf-8")
        for told in (github.comments.held[0]["body"], job.summary, job.log, page):
            assert ("It was founded" in told) == (texts != "none")
            assert ("END" in told) == (texts == "all")
        assert shown is None or shown in job.summary


def test_a_file_that_keeps_texts_private_is_heeded(github: GitHub) -> None:
    config = github.repository.path / "ragstone.toml"
    config.write_text(config.read_text() + '[report]\ntexts = "none"\n')
    github.repository.commit(RIGHT)
    github.repository.branch("careless", Q003=LONG)
    job = github.pull_request("careless")
    assert job.code == 1, job.log
    assert "It was founded" not in job.summary + job.log + github.comments.held[0]["body"]
    assert "It was founded" in github.pull_request("careless", texts="clip").summary


def test_a_read_only_token_is_a_notice_and_no_failure(github: GitHub) -> None:
    github.repository.branch("fork")
    github.comments.writing = 403
    job = github.pull_request("fork")
    assert job.code == 0, job.log
    told = [each for each in job.annotations if "may not comment (HTTP 403)" in each]
    assert len(told) == 1 and told[0].startswith("::notice ")
    assert github.comments.held == []
    assert "SHIP" in job.summary


@pytest.mark.parametrize("status", [500, 301])
def test_a_server_that_fails_is_a_warning_and_no_failure(github: GitHub, status: int) -> None:
    github.repository.branch("change", Q003="It was founded by two friends.")
    github.comments.everything = status
    job = github.pull_request("change")
    assert job.code == 1
    assert any(f"GitHub replied with HTTP {status}" in each for each in job.annotations)


def test_no_server_at_all_is_a_warning_and_no_failure(github: GitHub) -> None:
    github.repository.branch("change")
    github.runner.extra["GITHUB_API_URL"] = "http://127.0.0.1:1"
    job = github.pull_request("change")
    assert job.code == 0
    assert any("no comment was written: URLError" in each for each in job.annotations)


def test_a_comment_of_somebody_else_is_not_taken_for_ours(github: GitHub) -> None:
    github.repository.branch("change")
    forged = github.comments.add(f"{MARKER}\n## ✅ SHIP")
    quoting = github.comments.add(f"> {MARKER}", "helper[bot]", "Bot")
    # So many that ours is on the second page of the list.
    for number in range(120):
        github.comments.add(f"comment {number}")
    github.pull_request("change")
    github.pull_request("change")
    assert forged["body"] == f"{MARKER}\n## ✅ SHIP"
    assert quoting["body"] == f"> {MARKER}"
    assert len(github.comments.held) == 123


def test_a_token_of_a_person_updates_the_comments_of_that_person(github: GitHub) -> None:
    github.repository.branch("change")
    github.comments.person = "ann"
    github.comments.add(f"{MARKER} not ann's", "ben")
    github.pull_request("change", token="anns-token")
    github.pull_request("change", token="anns-token")
    assert [each["user"]["login"] for each in github.comments.held] == ["ben", "ann"]
    assert github.comments.tokens == {"Bearer anns-token"}


def test_two_gates_of_a_repository_have_two_comments(github: GitHub) -> None:
    github.repository.branch("change")
    for name in ("fast", "slow"):
        github.push(id=name)
    for name in ("fast", "slow", "fast"):
        job = github.pull_request("change", id=name)
        assert "Compared with the accepted run" in job.summary
    starts = [each["body"].splitlines()[0] for each in github.comments.held]
    assert starts == ["<!-- ragstone action: fast -->", "<!-- ragstone action: slow -->"]
    assert {path.name for path in github.runner.artifacts.iterdir()} == {
        "ragstone-fast",
        "ragstone-slow",
    }


def test_no_comment_where_none_is_wanted(github: GitHub) -> None:
    github.repository.branch("change")
    assert github.pull_request("change", comment="false").code == 0
    assert github.comments.requests == []


def test_annotations_name_files_from_the_root_of_the_repository(github: GitHub) -> None:
    repository = github.repository
    (repository.path / "my,service").mkdir()
    for name in ("ragstone.toml", "eval", "pipeline.py", "answers.json"):
        repository.git("mv", name, f"my,service/{name}")
    repository.git("commit", "-qm", "moved")
    repository.git("checkout", "-q", "-b", "careless")
    answers = repository.path / "my,service/answers.json"
    answers.write_text(json.dumps(RIGHT | {"Q003": "It was founded by two friends."}))
    repository.git("commit", "-qam", "careless")
    job = github.pull_request("careless", working_directory="my,service")
    assert job.code == 1, job.log
    assert any(
        each.startswith("::warning file=my%2Cservice/eval/gold.jsonl,line=3,")
        for each in job.annotations
    )


HOSTILE = "$(touch${IFS}hacked);`touch${IFS}hacked`&&'\"@octocat<b>"


def test_hostile_names_and_titles_do_nothing(github: GitHub) -> None:
    repository = github.repository
    repository.git("checkout", "-q", "-b", HOSTILE)
    repository.git("commit", "-q", "--allow-empty", "-m", "base")
    assert github.push(HOSTILE).code == 0
    title = f"{HOSTILE}\n::error::forged\n{MARKER}"
    job = github.pull_request(HOSTILE, base=HOSTILE, title=title)
    assert job.code == 0, job.log
    said = github.comments.held[0]["body"]
    assert "Compared with the accepted run of <code>$(touch" in said.replace("&#36;", "$")
    assert "<b>" not in said and "@octocat" not in said
    assert not any("forged" in each for each in job.annotations)
    assert list(github.runner.root.rglob("hacked")) == []
    assert list(PROJECT.glob("hacked")) == []


# The files themselves.


def test_nothing_is_interpolated_into_a_script() -> None:
    for step in declared()["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert step.get("shell", "bash") == "bash"
        assert ("shell" in step) == ("run" in step)


def test_every_step_that_is_used_is_pinned_and_has_a_stand_in_here() -> None:
    used = [step["uses"] for step in declared()["runs"]["steps"] if "uses" in step]
    assert used
    for each in used:
        name, _, version = each.partition("@")
        assert name in FAKES and re.fullmatch(r"v\d+", version)


def test_every_input_is_described_and_used() -> None:
    text = (PROJECT / "action.yml").read_text(encoding="utf-8")
    for name, each in declared()["inputs"].items():
        assert each["description"].endswith((".", "write`."))
        assert f"inputs.{name} " in text or f"inputs.{name}\n" in text, name


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_of_the_action_is_bash_and_can_be_started(name: str) -> None:
    path = PROJECT / "action" / name
    subprocess.run(["bash", "-n", str(path)], check=True)
    assert path.stat().st_mode & stat.S_IXUSR


def test_a_report_that_fills_a_comment_is_cut_for_what_the_action_adds(
    github: GitHub, tmp_path: Path
) -> None:
    folder = tmp_path / "gate"
    folder.mkdir()
    (folder / "comment.md").write_text(f"{MARKER}\n" + "a line of a report\n\n" * 3_300)
    job = github.runner.start(
        "pull_request", "main", pull_request={"number": 1, "base": {"ref": "main"}}
    )
    own = {"GATE_FOLDER": str(folder), "GATE_PAGE": "https://a.test", "GATE_TOKEN": "t"}
    script = [sys.executable, "-I", str(PROJECT / "action/update_comment.py")]
    subprocess.run(script, env={**job.env, **own}, check=True)
    said = github.comments.held[0]["body"]
    assert 65_000 < len(said) <= 65_536
    assert said.startswith(MARKER)
    assert "does not fit into a comment._\n\n<sub>[the whole report](https://a.test)" in said
