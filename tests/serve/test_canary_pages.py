"""The page of a watched canary: from a real server that reads pairs while they come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import ragstone
from msgspec.structs import replace
from serve.running_server import Server, serving, until
from shadow.made_pairs import answers_gold, kept, pair, pairs

from ragstone.errors import ConfigError
from ragstone.serve.canary_command import canary_setup
from ragstone.serve.canary_watch import CanaryWatch
from ragstone.serve.canary_windows import ShadowWindows
from ragstone.serve.serve_settings import serve_settings
from ragstone.shadow.pair_files import PairFiles
from ragstone.shadow.pairs import Said
from ragstone.suites.config_file import Config

DATA = Path(".ragstone") / "live"


@pytest.fixture(autouse=True)
def keeps_old_pairs(tmp_path: Path) -> None:
    """The pairs are of January: a server looks after ten seconds, and removes what is so old."""
    (tmp_path / "ragstone.toml").write_text('[serve]\nkeep = "99999d"\n', encoding="utf-8")


def canary(server: Server) -> dict[str, Any]:
    return dict(server.get("/live/canary.json").json)


def all_read(server: Server) -> dict[str, Any]:
    """The first page that knows of no more to read: the next may have begun anew."""
    pages: list[dict[str, Any]] = []

    def whole() -> bool:
        pages.append(canary(server))
        return not pages[-1]["unread_bytes"]

    until(whole)
    return pages[-1]


def test_the_page_says_what_the_command_says_and_goes_on_with_new_pairs(tmp_path: Path) -> None:
    answers_gold(tmp_path / "gold.jsonl", 300)
    kept(tmp_path / DATA, pairs(260))
    with serving(tmp_path, "--gold", "gold.jsonl") as server:
        page = all_read(server)
        assert (page["verdict"], page["questions"]) == ("PROMOTE", 260)
        words = ("canary", "--live-dir", DATA, "--gold", "gold.jsonl", "--json")
        assert ragstone(*words, cwd=tmp_path).json["canary"] == page
        kept(tmp_path / DATA, pairs(280)[260:])
        assert all_read(server)["questions"] == 280


def test_a_question_that_is_forgotten_is_gone_from_the_next_page(tmp_path: Path) -> None:
    kept(tmp_path / DATA, pairs(5))
    with serving(tmp_path) as server:
        assert canary(server)["questions"] == 5
        PairFiles(tmp_path / DATA).forget(["Q003"])
        # So few pairs are all read by the page that asks for them: nothing has to be waited for.
        page = canary(server)
        assert (page["questions"], page["unread_bytes"]) == (4, 0)


def test_nothing_is_promoted_where_no_answer_cites_anything(tmp_path: Path) -> None:
    """Without gold and citations nothing says whether the shadow finds less."""
    said = Said("I do not know.")
    kept(
        tmp_path,
        (
            replace(
                each,
                live=replace(each.live, answer=said),
                shadow=replace(each.shadow, answer=said),
            )
            for each in pairs(400)
        ),
    )
    gates = dict.fromkeys(("recall", "citation_accuracy", "delta_s_median", "flips"), "off")
    config = Config(whole={"serve": {"canary": {"gates": gates}}})
    with canary_setup(config, serve_settings(config), []) as setup:
        watch = CanaryWatch(PairFiles(tmp_path), setup)
        watch.read()
        assert watch.watched.decision.verdict == "HOLD"
        assert watch.watched.evidence["coverage"].value is None
        watch.close()
    config = Config(whole={"serve": {"canary": {"gates": {"recall": "off", "coverage": "off"}}}})
    with pytest.raises(ConfigError, match="nothing else says whether the shadow finds less"):
        serve_settings(config)


def test_what_stops_a_look_in_the_middle_loses_no_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(tmp_path, pairs(5))
    config, added = Config(), ShadowWindows.add
    stops = iter([False, False, True])

    def stopped(windows: ShadowWindows, *words: Any) -> None:
        if next(stops, False):
            raise MemoryError
        added(windows, *words)

    monkeypatch.setattr(ShadowWindows, "add", stopped)
    with canary_setup(config, serve_settings(config), []) as setup:
        watch = CanaryWatch(PairFiles(tmp_path), setup)
        with pytest.raises(MemoryError):
            watch.read()
        assert watch.read() == 0
        assert (watch.watched.questions, watch.tally.pairs) == (5, 5)
        watch.close()


def test_a_server_without_a_shadow_says_how_to_begin(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        assert server.get("/live.json").json["canary"] is None
        page = server.get("/live/canary")
        assert page.status == 200
        assert "no pair is kept yet" in page.body.decode()
        assert server.get("/live/canary.json?run=none").status == 404
        kept(tmp_path / DATA, [pair(1)], run="next")
        brief = server.get("/live.json").json["canary"]
        assert (brief["run"], brief["verdict"], brief["questions"]) == ("next", "HOLD", 1)


def test_pairs_that_are_damaged_are_said_on_their_page_alone(tmp_path: Path) -> None:
    files = kept(tmp_path / DATA, [pair(1)])
    files.files()[0].write_bytes(b"nonsense\n")
    with serving(tmp_path) as server:
        found = server.get("/live/canary.json")
        assert found.status == 503
        assert str(tmp_path) not in found.body.decode()
        assert "cannot be read" in server.get("/live.json").json["canary"]["because"]
        until(lambda: b"canary" in server.get("/readyz").body)
        assert server.stop() == 0


def test_a_page_is_printed_without_a_port_and_without_texts(tmp_path: Path) -> None:
    kept(tmp_path / DATA, pairs(5, wrong=0.5))
    (tmp_path / "ragstone.toml").write_text('[report]\ntexts = "none"\n', encoding="utf-8")
    found = ragstone("serve", "--get", "/live/canary", cwd=tmp_path)
    assert found.code == 0
    assert "Watched canary" in found.text
    assert "What is number" not in found.text
    data = json.loads(ragstone("serve", "--get", "/live/canary.json", cwd=tmp_path).out)
    assert (data["questions"], data["unread_bytes"]) == (5, 0)
