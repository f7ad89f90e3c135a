"""What a server that edits gold takes and refuses, over HTTP."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from builders import gold, write_jsonl
from command import ragstone
from hypothesis import given
from hypothesis import strategies as st
from serve.recorded_hour import records
from serve.running_server import Answer, Server, serving, until

from ragstone.serve.gold_form import Filled, filled, typed_answer, typed_fields
from ragstone.tools.gold_draft import Draft

FORM = "application/x-www-form-urlencoded"
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)


class Editing:
    """A browser by hand: its cookie and the fields of its form."""

    def __init__(self, server: Server, path: str, **headers: str) -> None:
        self.server, self.headers = server, headers
        begun = server.get(path, **headers)
        assert begun.status == 200, begun.body
        self.cookie = begun.headers["set-cookie"].partition(";")[0]
        self.fields = hidden(begun.body.decode())
        self.fields |= {"name": "keys-02", "question": "Where?", "by": "Ann", "do": "save"}

    def post(self, path: str = "/gold/edit", fields: Any = None, **headers: str) -> Answer:
        own = {"Origin": self.server.url, "Cookie": self.cookie, "Content_Type": FORM}
        sent = {**own, **self.headers, **headers}
        body = urlencode(self.fields if fields is None else fields).encode()
        return self.server.ask("POST", path, body, **{k: v for k, v in sent.items() if v})


def hidden(page: str) -> dict[str, str]:
    found = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page)
    return {name: unescape(value) for name, value in found}


@pytest.fixture(scope="module")
def place(ledger: tuple[Path, list[str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(ledger[0], tmp_path_factory.mktemp("gold") / "place")


@pytest.fixture
def own_place(ledger: tuple[Path, list[str]], tmp_path: Path) -> Path:
    """For a test with a server of its own."""
    return shutil.copytree(ledger[0], tmp_path / "place")


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[Server]:
    with serving(place, "--edit-gold", "--gold", "gold.jsonl") as running:
        yield running


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://other.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-site"}, 403),
        ({"Cookie": ""}, 403),
        ({"Cookie": "ragstone-form=" + "0" * 32}, 403),
        ({"Content_Type": "text/plain"}, 415),
        ({"Content_Type": "multipart/form-data"}, 415),
    ],
)
@pytest.mark.parametrize("path", ["/gold/edit", "/gold/lint"])
def test_what_is_not_our_own_form_writes_nothing(
    server: Server, place: Path, path: str, headers: dict[str, str], status: int
) -> None:
    before = (place / "gold.jsonl").read_bytes()
    editing = Editing(server, "/gold/edit?qid=keys-02")
    assert editing.post(path, **headers).status == status
    assert (place / "gold.jsonl").read_bytes() == before


def test_a_form_without_its_proof_comes_back_with_all_that_was_written(server: Server) -> None:
    editing = Editing(server, "/gold/edit?qid=keys-02")
    sent = {**editing.fields, "token": "0" * 64, "question": "Where, <b>exactly</b>?"}
    answer = editing.post(fields=sent)
    assert answer.status == 403
    assert b"press the button again" in answer.body
    assert b"Where, &lt;b&gt;exactly&lt;/b&gt;?" in answer.body
    assert hidden(answer.body.decode())["token"] == editing.fields["token"]


def test_too_much_is_refused(server: Server) -> None:
    editing = Editing(server, "/gold/edit?qid=keys-02")
    assert editing.post(fields={**editing.fields, "question": "x" * 300_000}).status == 413
    many = [*editing.fields.items(), *(("chunk", str(n)) for n in range(500))]
    assert editing.post(fields=many).status == 400


def test_only_get_and_post_are_there_and_pages_load_nothing(server: Server) -> None:
    page = server.get("/gold/edit?qid=keys-02")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "connect-src 'self'" in policy
    assert re.search(r"script-src 'sha256-[^']+';", policy)
    cookie = page.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and "path=/gold/" in cookie
    for method in ("PUT", "DELETE", "PATCH"):
        assert server.ask(method, "/gold/edit").status == 405
    assert server.get("/gold/edit?qid=../../etc/passwd").status == 404
    assert server.get("/gold/edit?record=x&at=1").status == 404
    assert server.get("/gold/edit?record=x&at=" + "9" * 40).status == 404
    assert server.get("/gold/edit").status == 404
    assert server.get("/gold/saved?qid=nobody").status == 404
    paths = server.get("/openapi.json").json["paths"]
    assert {path for path in paths if path.startswith("/gold/")} == {
        "/gold/edit",
        "/gold/lint",
        "/gold/saved",
    }


def test_lint_says_what_the_command_says(server: Server) -> None:
    editing = Editing(server, "/gold/edit?qid=keys-02")
    sent = {**editing.fields, "base": "", "name": "copy", "question": "Where are keys stored?"}
    found = editing.post("/gold/lint", {**sent, "phrases": "abc", "chunk": "p1"}).json
    rules = [each["rule"] for each in found["weak"]]
    assert rules == ["contradicting_items", "duplicate_question", "short_substring"]
    assert found["wrong"] == []
    found = editing.post("/gold/lint", {**sent, "name": "keys-01"}).json
    assert found["wrong"] == ["qid: another item is called keys-01; write another name"]


def test_a_proxy_says_who_it_is(own_place: Path) -> None:
    words = ("--edit-gold", "--gold", "gold.jsonl", "--trust-proxy-header", "X-User")
    with serving(own_place, *words) as server:
        assert server.get("/gold/edit?qid=keys-02").status == 401
        editing = Editing(server, "/gold/edit?qid=keys-02", X_User="Ann of the proxy")
        assert editing.post(X_User="Somebody else").status == 403
        fields = {**editing.fields, "by": "Mallory", "tags": "proxied"}
        assert editing.post(fields=fields).status == 303
    line = (own_place / "gold.jsonl").read_text().splitlines()[-1]
    assert '"by": "Ann of the proxy"' in line and "Mallory" not in line


def test_what_cannot_be_written_is_told_without_paths(own_place: Path) -> None:
    gold_file = own_place / "gold.jsonl"
    with serving(own_place, "--edit-gold", "--gold", str(gold_file)) as server:
        editing = Editing(server, "/gold/edit?qid=keys-02")
        gold_file.chmod(0o444)
        answer = editing.post()
        assert answer.status == 503
        assert b"gold.jsonl is read-only" in answer.body
        assert str(own_place).encode() not in answer.body
        gold_file.chmod(0o644)
        gold_file.write_text('{"qid": ')
        broken = editing.post()
        assert broken.status == 503
        assert str(own_place).encode() not in broken.body
        assert editing.post("/gold/lint").status == 503


def test_hostile_texts_come_back_as_they_are_and_act_nowhere(tmp_path: Path) -> None:
    text = '</textarea><script>alert(1)</script>"\u202e\u200b\n&amp;'
    item = gold("x", question=text, gold_claim_substr=[text], tags=['a"b'])
    write_jsonl(tmp_path / "gold.jsonl", [item])
    with serving(tmp_path, "--edit-gold", "--gold", "gold.jsonl") as server:
        page = server.get("/gold/edit?qid=x").body.decode()
        assert "<script>alert" not in page
        editing = Editing(server, "/gold/edit?qid=x")
        area = re.search(r'<textarea name="phrases"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
        asked = re.search(r'<textarea name="question"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)
        assert area and asked
        kept = {
            "name": "x",
            "question": unescape(asked[1]),
            "phrases": unescape(area[1]),
            "chunk": "p1#2",
            "tags": 'a"b',
            "answerable": "yes",
            "do": "review",
        }
        answer = editing.post(fields={**editing.fields, **kept})
        assert (answer.status, b"has it so already" in answer.body) == (200, True)
        assert b"<script>alert" not in answer.body


@pytest.mark.parametrize(
    ("words", "toml", "said"),
    [
        (("--edit-gold",), "", "--edit-gold needs one gold set"),
        (("--edit-gold", "--gold", "gold.csv"), "", "is a table: items are saved into"),
        (("--texts", "gold.jsonl"), "", "--texts goes with --edit-gold"),
        ((), "[serve]\nedit_gold = true\n", "nobody has named this file"),
        ((), "[serve]\nedit_gold = 1\n", "expected true or false"),
        (
            ("--edit-gold", "--gold", "gold.jsonl"),
            '[report]\ntexts = "clip"\n',
            "shows whole texts",
        ),
    ],
)
def test_a_server_that_must_not_edit_does_not_start(
    tmp_path: Path, words: tuple[str, ...], toml: str, said: str
) -> None:
    write_jsonl(tmp_path / "gold.jsonl", [gold("A")])
    (tmp_path / "gold.csv").write_text("qid,question,answerable\nA,Why?,true\n")
    if toml:
        (tmp_path / "ragstone.toml").write_text(toml)
    ran = ragstone("serve", "--port", "0", *words, cwd=tmp_path)
    assert (ran.code, said in ran.err) == (2, True), ran.err


def test_without_the_flag_there_is_no_editor(own_place: Path) -> None:
    with serving(own_place, "--gold", "gold.jsonl") as server:
        assert server.get("/gold/edit?qid=keys-02").status == 404
        assert b"Take into gold" not in server.get("/questions/keys-02").body
        assert "/gold/edit" not in server.get("/openapi.json").json["paths"]


# --- the form ---

DRAFTS = st.builds(
    Draft,
    qid=TEXT,
    question=TEXT,
    answerable=st.booleans(),
    phrases=st.lists(TEXT, max_size=3).map(tuple),
    answer=st.sampled_from(["", '{"number": 30, "unit": "days"}', '{"all": ["x"]}', '"v2.1"', "x"]),
    citations=st.lists(TEXT, max_size=3).map(tuple),
    paraphrases=st.lists(TEXT, max_size=3).map(tuple),
    tags=st.lists(TEXT.map(lambda text: text.replace(",", "")), max_size=2).map(tuple),
    anchor=TEXT,
)


@given(DRAFTS)
def test_a_form_gives_back_the_draft_that_it_was_made_of(draft: Draft) -> None:
    held = Filled(draft.tidied(), "0" * 64, "{}", (("qid", "A"),), "Ann", "so", freeze=True)
    back, _ = filled(urlencode(held.fields()).encode())
    asked = " ".join(held.draft.question.split())
    assert back.draft.question == asked
    assert (back.since, back.base, back.place, back.by, back.why, back.freeze) == (
        held.since, held.base, held.place, held.by, held.why, held.freeze,
    )  # fmt: skip
    for name in ("qid", "answerable", "phrases", "answer", "citations", "paraphrases", "tags"):
        assert getattr(back.draft, name) == getattr(held.draft, name), name


@given(st.binary(max_size=300))
def test_any_body_is_a_form_or_none(body: bytes) -> None:
    try:
        filled(body)
    except ValueError as error:
        assert "fields" in str(error)


@pytest.mark.parametrize(
    "answer",
    [
        '{"number": 30, "unit": "days"}',
        '{"number": "1577.00", "unit": "USD million"}',
        '{"number": 1.5}',
        '{"number": "30"}',
        '{"date": "2023-07"}',
        '{"date": "2023-07-01", "order": "mdy"}',
        '{"yesno": false}',
        '{"any": ["a", "b c"]}',
        '{"any": ["a | b"]}',
        '{"regex": "a\\\\d"}',
        '["v2.1", {"yesno": true}]',
    ],
)
def test_a_typed_answer_survives_the_fields(answer: str) -> None:
    assert typed_answer(*typed_fields(answer)) == answer


def test_a_row_behind_an_alert_leads_to_the_editor_and_the_terminal_proposes_it(
    tmp_path: Path,
) -> None:
    write_jsonl(tmp_path / "gold.jsonl", [gold("A")])
    with serving(tmp_path, "--edit-gold", "--gold", "gold.jsonl") as server:
        for begin in range(0, 39, 13):
            assert server.send(*records(range(begin, begin + 13))).status == 200

        def alert() -> str:
            found = server.get("/live.json").json["alerts"]
            return next((each["id"] for each in found if each["alert"] == "coverage"), "")

        page = server.get(f"/live/rows?id={until(alert)}").body.decode()
        address = re.search(r'href="(/gold/edit\?record=[^"]+)"', page)
        assert address
        editor = server.get(unescape(address[1])).body.decode()
        assert re.search(r'<textarea name="question"[^>]*>\nquestion \d\?</textarea>', editor)
        # The folder is read while the server runs.
        words = ("gold", "from-traces", "gold.jsonl", "--data", ".ragstone/live", "--list")
        ran = ragstone(*words, cwd=tmp_path)
        assert ran.code == 0, ran.err
        found = [json.loads(line) for line in ran.text.splitlines()]
    assert len(found) == 10
    assert {each["question"] for each in found} == {f"question {n}?" for n in range(10)}
    assert all(each["seen"].startswith("record ") for each in found)
    assert all("asked 195 times" in each["why"] for each in found)
