"""What the Dockerfile promises, as its text tells; `make test-image` builds and tries the image."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

PROJECT = Path(__file__).parent.parent


def instructions() -> Iterator[tuple[str, str]]:
    """The instructions of the Dockerfile, each with its words; a backslash joins lines."""
    text = (PROJECT / "Dockerfile").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    for line in filter(None, "\n".join(lines).replace("\\\n", "").splitlines()):
        word, _, rest = line.partition(" ")
        yield word, rest.strip()


STEPS = list(instructions())
LAST = max(at for at, (word, _) in enumerate(STEPS) if word == "FROM")


def words(of: str, steps: list[tuple[str, str]]) -> list[str]:
    return [rest for word, rest in steps if word == of]


def test_the_last_stage_is_not_root_and_starts_the_command() -> None:
    last = STEPS[LAST:]
    assert words("USER", last) == ["10001:10001"]
    assert words("ENTRYPOINT", last) == ['["ragstone"]']
    # Nobody becomes root again behind the line that says who runs.
    assert [word for word, _ in last[-3:]] == ["USER", "ENTRYPOINT", "CMD"]


def test_the_last_stage_installs_nothing() -> None:
    last = STEPS[LAST:]
    assert words("COPY", last) == ["--from=build /opt/ragstone /opt/ragstone"]
    assert [step for step in words("RUN", last) if "pip" in step or "apt" in step] == []


def test_everything_that_is_fetched_has_a_hash() -> None:
    parts = [part for step in words("RUN", STEPS) for part in step.split("&&")]
    fetching = [part for part in parts if " pip " in part and "--no-deps" not in part]
    assert len(fetching) == 3
    assert all("--require-hashes" in part for part in fetching)


def test_only_what_is_copied_is_sent_to_the_builder() -> None:
    rules = (PROJECT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    sent = {rule[1:] for rule in rules if rule.startswith("!")}
    copied = {
        source.split("/")[0]
        for step in words("COPY", STEPS)
        if not step.startswith("--from")
        for source in step.split()[:-1]
    }
    assert sent == copied
    assert "*" in rules


def test_the_server_is_a_target_that_is_not_root_and_needs_a_token() -> None:
    start = next(at for at, step in enumerate(STEPS) if step == ("FROM", "bare AS serve"))
    stage = STEPS[start:LAST]
    assert words("USER", stage) == ["10001:10001"]
    assert words("COPY", stage) == ["--from=build-serve /opt/ragstone /opt/ragstone"]
    entry = json.loads(words("ENTRYPOINT", stage)[0])
    # Reached from outside, so the command itself refuses to start without a token.
    assert entry == ["ragstone", "serve", "--host", "0.0.0.0"]
    environment = {name: text for name, text in os.environ.items() if name != "RAGSTONE_TOKEN"}
    ran = subprocess.run(
        [sys.executable, "-m", *entry], capture_output=True, text=True, env=environment, check=False
    )
    assert (ran.returncode, "RAGSTONE_TOKEN" in ran.stderr) == (2, True)


def test_the_compose_file_sends_spans_of_the_collector_to_the_server() -> None:
    folder = PROJECT / "examples" / "serve"
    services = yaml.safe_load((folder / "compose.yml").read_text(encoding="utf-8"))["services"]
    server, collector = services["ragstone"], services["collector"]
    assert server["build"]["target"] == "serve"
    assert (folder / server["build"]["context"] / "Dockerfile").is_file()
    published = [*server["ports"], *collector["ports"]]
    assert all(port.startswith("127.0.0.1:") for port in published)
    file = collector["volumes"][0].split(":")[0]
    config = yaml.safe_load((folder / file).read_text(encoding="utf-8"))
    (exporter,) = config["exporters"].values()
    assert exporter["endpoint"] == "http://ragstone:8787"
    pipeline = config["service"]["pipelines"]["traces"]
    for kind in ("receivers", "processors", "exporters"):
        assert set(pipeline[kind]) == set(config[kind])
