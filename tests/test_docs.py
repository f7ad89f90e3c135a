"""What the documentation shows holds: recipes parse, and the ten lines of CONTRIBUTING are ten."""

from __future__ import annotations

import importlib
import re
import subprocess
from pathlib import Path

import doc_links
import doc_sentences
import docs_code
import pytest
import yaml

PROJECT = Path(__file__).parent.parent


def blocks_of(page: str, language: str) -> list[str]:
    text = (PROJECT / page).read_text(encoding="utf-8")
    return [
        "\n".join(block.lines) + "\n"
        for block in docs_code.blocks(text)
        if block.words[:1] == (language,)
    ]


def test_the_metric_of_contributing_takes_ten_lines_and_runs():
    declaration = blocks_of("CONTRIBUTING.md", "python")[0]
    assert len(declaration.split("\n\n", 1)[1].splitlines()) <= 10
    counts = docs_code.run_page(PROJECT / "CONTRIBUTING.md")
    assert counts["python"] >= 2


def test_every_yaml_recipe_parses():
    recipes = [yaml.safe_load(block) for block in blocks_of("docs/ci.md", "yaml")]
    assert len(recipes) == 4
    assert all(isinstance(recipe, dict) for recipe in recipes)


@pytest.mark.parametrize("recipe", [0, 1])
def test_the_github_recipes_are_workflows_whose_steps_can_run(recipe: int):
    workflow = yaml.safe_load(blocks_of("docs/ci.md", "yaml")[recipe])
    # YAML 1.1 reads the word `on` as true.
    assert "pull_request" in workflow[True]
    (job,) = workflow["jobs"].values()
    assert job["runs-on"]
    for step in job["steps"]:
        assert ("run" in step) != ("uses" in step)
        assert isinstance(step.get("if", ""), str)


def test_the_github_recipe_decides_before_it_reports():
    (job,) = yaml.safe_load(blocks_of("docs/ci.md", "yaml")[1])["jobs"].values()
    names = [step.get("name") for step in job["steps"]]
    after = job["steps"][names.index("Decide") + 1 :]
    assert "if" not in job["steps"][names.index("Decide")]
    # Without a condition these would not run when a gate fails, which is when they matter.
    assert after
    assert all("if" in step for step in after)


def test_the_page_lists_the_inputs_and_outputs_of_the_action():
    action = yaml.safe_load((PROJECT / "action.yml").read_text(encoding="utf-8"))
    page = (PROJECT / "docs/ci.md").read_text(encoding="utf-8")
    told = page.split("| input | default | is |")[1].split("What is installed")[0]
    listed = re.findall(r"^\| `([a-z-]+)` \|", told, flags=re.MULTILINE)
    assert listed == [*action["inputs"], *action["outputs"]]
    shown = dict(re.findall(r"^\| `([a-z-]+)` \| `([^`]+)` \|", told, flags=re.MULTILINE))
    assert all(action["inputs"][name]["default"] == default for name, default in shown.items())


def test_the_gitlab_recipe_adds_to_the_job_of_the_template():
    recipe = yaml.safe_load(blocks_of("docs/ci.md", "yaml")[2])
    templates = PROJECT / "src/ragstone/cli/templates"
    job = yaml.safe_load((templates / "gitlab.yml").read_text(encoding="utf-8"))["ragstone"]
    include = yaml.safe_load((templates / "gitlab-include.yml").read_text(encoding="utf-8"))
    assert recipe["include"] == include["include"]
    assert set(recipe["ragstone"]["variables"]) <= set(job["variables"])
    # What it says again would replace what the template says.
    assert set(recipe["ragstone"]) & set(job) == {"variables"}


def test_the_recipe_for_pre_commit_has_every_hook():
    (recipe,) = yaml.safe_load(blocks_of("docs/ci.md", "yaml")[3])["repos"]
    hooks = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert recipe["hooks"] == [{"id": hook["id"]} for hook in hooks]


def test_the_shell_recipe_is_shell():
    (script,) = blocks_of("docs/ci.md", "sh")
    subprocess.run(["sh", "-n"], input=script, text=True, check=True)


def test_the_hooks_run_from_the_projects_own_environment():
    config = yaml.safe_load((PROJECT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert [repo["repo"] for repo in config["repos"]] == ["local"]
    assert all(hook["entry"].startswith(".venv/bin/") for hook in config["repos"][0]["hooks"])


@pytest.mark.parametrize("page", doc_links.pages())
def test_every_link_and_anchor_of_a_page_lands(page: str):
    text = (PROJECT / page).read_text(encoding="utf-8")
    wrong = {link.target: doc_links.problem(page, link.target) for link in doc_links.links(text)}
    assert {target: why for target, why in wrong.items() if why} == {}


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("nowhere.md", "no file docs/nowhere.md"),
        ("../../outside.md", "no file ../outside.md"),
        ("#nowhere", "0 headings of docs/ci.md have the anchor #nowhere"),
        ("../README.md#nowhere", "0 headings of README.md have the anchor #nowhere"),
        ("../pyproject.toml#L1", "0 headings of pyproject.toml have the anchor #L1"),
        ("../README.md#exit-codes", ""),
        ("https://example.com/nowhere", ""),
    ],
)
def test_a_link_that_goes_astray_is_named(target: str, why: str):
    assert doc_links.problem("docs/ci.md", target) == why


def test_every_page_is_in_the_readmes_table_of_pages():
    table = (PROJECT / "README.md").read_text(encoding="utf-8").split("## Where things are")[1]
    listed = {doc_links.resolved("README.md", link.target)[0] for link in doc_links.links(table)}
    assert set(doc_links.pages()) - {"README.md"} - listed == set()


@pytest.mark.parametrize("page", ["README.md", "docs/first-questions.md"])
def test_how_many_questions_are_those_of_the_page_on_power(page: str):
    power = (PROJECT / "docs/power.md").read_text(encoding="utf-8")
    proof = {
        (float(limit), int(none), int(one))
        for limit, none, one in re.findall(
            r"^\| (0\.\d+) \| (\d+) \| (\d+) \|", power, re.MULTILINE
        )
    }
    told = re.findall(
        r"^\| (?:at most )?(\d+) % .*\| (\d+)[a-z ]* \| (\d+) \|$",
        (PROJECT / page).read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    assert len(told) >= 4
    assert {(int(limit) / 100, int(none), int(one)) for limit, none, one in told} <= proof


@pytest.mark.parametrize("suite", ["answers", "audit", "retrieval"])
def test_every_reading_has_advice_on_the_page_for_a_gate_that_failed(suite: str):
    page = (PROJECT / "docs/gate-failed.md").read_text(encoding="utf-8").lower()
    rules = importlib.import_module(f"ragstone.suites.{suite}.rules").READINGS
    for rule in rules:
        assert f"`{rule.pattern.lower()}`" in page
        assert rule.title.lower() in page


# The history is told as it was, and the page of metrics is written from their declarations.
PLAIN = [page for page in doc_links.pages() if page not in ("CHANGELOG.md", "docs/metrics.md")]


@pytest.mark.parametrize("page", PLAIN)
def test_no_sentence_is_too_long_to_say_in_one_breath(page: str):
    assert doc_sentences.long_sentences(page) == []


@pytest.mark.parametrize("page", doc_links.pages())
def test_no_page_speaks_in_riddles(page: str):
    assert doc_sentences.words_to_avoid(page) == []


def test_a_long_sentence_and_a_riddle_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(doc_links, "PROJECT", tmp_path)
    (tmp_path / "page.md").write_text(f"Short.\n\n{'word ' * 36}end. We leverage it.\n")
    (long,) = doc_sentences.long_sentences("page.md")
    assert long.startswith("page.md:3: 37 words: word word")
    assert doc_sentences.words_to_avoid("page.md") == ["page.md:3: leverag: write: use"]
    assert doc_sentences.main(["40", "page.md"]) == 1


@pytest.mark.parametrize("page", doc_links.pages())
def test_no_page_holds_the_marks_of_a_merge(page: str):
    lines = (PROJECT / page).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if re.match(r"(<{7} |={7}$|>{7} )", line)] == []
