"""Arrays, tables, folders and files behind URLs, as a user gives them to commands."""

from __future__ import annotations

import json
import shutil
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from arrow_tables import write_parquet
from builders import gold, trace
from command import ANSWERS, INPUTS, QUESTIONS, Command, Folder, Process

from ragstone.contracts import packed

QUIET = ("--json", "--quiet")


@pytest.fixture(autouse=True)
def good(folder: Folder) -> None:
    folder.fill()


def test_an_array_may_be_one_line_that_is_longer_than_a_line_may_be(
    command: Command, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "LONGEST", 1_000)
    rows = [gold(f"A{number}") for number in range(100)]
    folder.write("gold.json", json.dumps(rows))
    assert command("check", "gold.json").text == "gold.json: gold, 100 lines, ok\n"


def test_a_jsonl_file_that_begins_with_a_bracket_is_an_array(
    command: Command, folder: Folder
) -> None:
    expected = command.score(*QUIET).out
    folder.write("trace.jsonl", "\n" + json.dumps(ANSWERS, indent=1))
    assert command.score(*QUIET).out == expected
    folder.write("trace.jsonl", "[1]\n[2]\n")
    assert command.score().err.splitlines() == [
        "trace.jsonl:1: json: expected an object, found 1 (element 1)",
        "trace.jsonl:2: json: something follows after the end of the document (byte 5)",
        "ragstone: 2 problems in the input; nothing was scored",
    ]


def test_bad_elements_are_named_by_the_line_they_begin_on(command: Command, folder: Folder) -> None:
    rows = [gold("A1"), gold("A2", answerable="yes"), gold("A1")]
    folder.write("gold.json", json.dumps(rows, indent=0))
    lines = (folder.work / "gold.json").read_text().splitlines()
    begin = [number for number, line in enumerate(lines, 1) if line == "{"]
    ran = command("score", "--gold", "gold.json", "--trace", "trace.jsonl")
    assert ran.err.splitlines()[:2] == [
        f'gold.json:{begin[1]}: answerable: expected true or false, found "yes" (element 2)',
        f'gold.json:{begin[2]}: qid: "A1" was already given in element 1 (element 3)',
    ]


def test_offenders_of_an_array_have_a_line_in_sarif(command: Command, folder: Folder) -> None:
    folder.write("trace.json", json.dumps([trace("A1"), trace("A2")], indent=1))
    command("score", "--gold", "gold.jsonl", "--trace", "trace.json", "-o", "r.sarif")
    sarif = json.loads((folder.work / "r.sarif").read_text())
    places = {
        (place["physicalLocation"]["artifactLocation"]["uri"],
         place["physicalLocation"]["region"]["startLine"])
        for result in sarif["runs"][0]["results"]
        for place in [*result.get("locations", ()), *result.get("relatedLocations", ())]
    }  # fmt: skip
    lines = (folder.work / "trace.json").read_text().splitlines()
    second = [number for number, line in enumerate(lines, 1) if line == " {"][1]
    assert ("trace.json", second) in places


def test_a_folder_is_its_files_with_the_columns_of_their_paths(
    command: Command, folder: Folder
) -> None:
    flat = [{**row, "day": day} for row, day in zip(ANSWERS, ("1", "2"), strict=True)]
    folder.write("flat.jsonl", flat)
    write_parquet(folder.work / "logs/day=1/part-0.parquet", [ANSWERS[0]])
    folder.write("logs/day=2/part-0.jsonl", [ANSWERS[1]])
    folder.write("logs/_SUCCESS", b"")
    folder.write("logs/day=2/.part-0.jsonl.crc", b"")
    words = ("audit", "--by", "day", "--json", "--trace")
    ran = command(*words, "logs/")
    assert ran.out == command(*words, "flat.jsonl").out
    assert ran.err.splitlines()[0] == (
        "ragstone: logs/: 2 files are passed over: logs/_SUCCESS, logs/day=2/.part-0.jsonl.crc"
    )
    assert command(*words, "logs/day=*", "--quiet").out == ran.out


@pytest.mark.parametrize("ending", ["jsonl", "json", "csv"])
def test_what_a_row_says_itself_wins_over_its_path(
    ending: str, command: Command, folder: Folder
) -> None:
    row = {**ANSWERS[0], "day": "own"}
    if ending == "csv":
        folder.write("logs/day=path/t.csv", "qid,day\nA1,own\nA2,\n")
    else:
        rows = [row, {**ANSWERS[1], "day": None}]
        text = json.dumps(rows) if ending == "json" else "".join(f"{json.dumps(r)}\n" for r in rows)
        folder.write(f"logs/day=path/t.{ending}", text)
    found = command("audit", "--by", "day", *QUIET, "--trace", "logs").json
    assert set(found["slices"]["day"]) == {"own", "(none)"}, found["slices"]


def test_a_delta_table_is_refused_by_name(command: Command, folder: Folder) -> None:
    folder.write("table/_delta_log/0.json", b"{}")
    write_parquet(folder.work / "table/part-0.parquet", list(ANSWERS))
    ran = command("audit", "--trace", "table")
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith("ragstone: trace folder table is a Delta table")


class Files(SimpleHTTPRequestHandler):
    """A folder, told in silence."""

    def log_message(self, format: str, *args: object) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]


def served(folder: Path, context: ssl.SSLContext | None = None) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=str(folder)))
    server.asked = []  # type: ignore[attr-defined]
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture
def server(folder: Folder, tmp_path: Path) -> Iterator[ThreadingHTTPServer]:
    there = tmp_path / "there"
    shutil.copytree(folder.work, there)
    (there / "gold.json").write_text(json.dumps(QUESTIONS))
    made = served(there)
    yield made
    made.shutdown()
    made.server_close()


def url_of(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_port}"


def test_a_file_behind_a_url_is_read_as_any_other(
    ragstone: Process, server: ThreadingHTTPServer, folder: Folder
) -> None:
    before = folder.files()
    url = url_of(server)
    words = ("--gold", f"{url}/gold.json", "--trace", f"{url}/trace.jsonl?signature=SECRET")
    ran = ragstone("score", *words, "--json")
    assert (ran.code, ran.out) == (0, ragstone("score", *INPUTS, *QUIET).out)
    assert ran.err == (
        f"ragstone: fetching {url}/gold.json\nragstone: fetching {url}/trace.jsonl\n"
    )
    assert folder.files() == before


def test_what_cannot_be_fetched_is_one_sentence(
    ragstone: Process, server: ThreadingHTTPServer
) -> None:
    url = url_of(server)
    said = {
        f"{url}/nope.jsonl": f"ragstone: trace file {url}/nope.jsonl does not exist",
        "http://127.0.0.1:9/t?key=SECRET": "ragstone: trace http://127.0.0.1:9/t cannot be fetched",
        "nothing://b/t.jsonl": "ragstone: trace nothing://b/t.jsonl cannot be fetched: Protocol",
    }
    for given, sentence in said.items():
        ran = ragstone("audit", "--trace", given, "--no-config")
        assert (ran.code, ran.out) == (2, b"")
        assert ran.err.startswith(sentence), ran.err
        assert ran.err.count("\n") == 1
        assert "SECRET" not in ran.err


def test_a_configuration_that_nobody_named_makes_no_request(
    ragstone: Process, server: ThreadingHTTPServer, folder: Folder
) -> None:
    url = url_of(server)
    folder.write("ragstone.toml", f'[paths]\ngold = "{url}/gold.json"\ntrace = "trace.jsonl"\n')
    ran = ragstone("score")
    assert (ran.code, ran.out) == (2, b"")
    assert ran.err.startswith(f"ragstone: ragstone.toml names {url}/gold.json as gold, and nobody")
    assert ragstone("score", "--gold", "gold.jsonl").code == 0
    assert server.asked == []  # type: ignore[attr-defined]
    assert ragstone("score", "--config", "ragstone.toml").code == 0
    assert ragstone("score", "--gold", f"{url}/gold.json").code == 0


def test_a_recording_makes_no_request_when_it_is_verified(
    ragstone: Process, server: ThreadingHTTPServer
) -> None:
    words = ("--gold", f"{url_of(server)}/gold.json?key=SECRET", "--trace", "trace.jsonl")
    assert ragstone("score", *words, "--record").code == 0
    kept = [path for path in ragstone.folder.work.rglob("*") if path.is_file()]
    assert not any(b"SECRET" in path.read_bytes() for path in kept)
    server.asked.clear()  # type: ignore[attr-defined]
    ran = ragstone("verify", "last")
    assert server.asked == []  # type: ignore[attr-defined]
    assert "did not come from files that are kept" in ran.text + ran.err


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_a_certificate_is_checked(
    ragstone: Process, folder: Folder, certificate: tuple[Path, Path]
) -> None:
    key, made = certificate
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)
    server = served(folder.work, context)
    words = (
        "audit",
        "--no-config",
        "--trace",
        f"https://localhost:{server.server_port}/trace.jsonl",
    )
    unknown = ragstone(*words)
    known = ragstone(*words, env={"SSL_CERT_FILE": str(made)})
    server.shutdown()
    server.server_close()
    assert (unknown.code, unknown.out) == (2, b"")
    assert "certificate verify failed" in unknown.err
    assert known.code == 0


def test_without_the_package_the_line_that_installs_it_is_told(
    ragstone: Process, folder: Folder
) -> None:
    blocked = "import sys; sys.modules['fsspec'] = None; from ragstone.cli.main import main; "
    code = f"{blocked}sys.exit(main(sys.argv[1:]))"
    ran = subprocess.run(
        [sys.executable, "-c", code, "audit", "--trace", "s3://b/t.jsonl"],
        cwd=folder.work, env=ragstone.environment, capture_output=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 2
    assert ran.stderr.decode() == (
        "ragstone: trace s3://b/t.jsonl: a URL needs fsspec, which is not installed: "
        "pip install 'fsspec>=2024.6'\n"
    )


@pytest.mark.parametrize("name", ["g.csv", "g.json"])
def test_a_gold_set_in_any_file_can_be_frozen(name: str, command: Command, folder: Folder) -> None:
    rows = [("A1", True), ("A2", False)]
    phrases = ["null keys"]
    table = "qid,answerable,gold_claim_substr\n" + "".join(
        f'{qid},{answerable},"{json.dumps(phrases).replace(chr(34), chr(34) * 2)}"\n'
        for qid, answerable in rows
    )
    array = json.dumps(
        [{"qid": qid, "answerable": is_, "gold_claim_substr": phrases} for qid, is_ in rows]
    )
    text = table if name.endswith("csv") else array
    folder.write(name, text)
    assert command("gold", "freeze", name, "--who", "Ann", "--why", "first").code == 0
    words = ("score", "--gold", name, "--trace", "trace.jsonl", "--gates", "missing=off", *QUIET)
    assert command(*words).json["pass"] is True
    folder.write(name, text.replace("False", "True").replace("false", "true"))
    assert command(*words).err.startswith(f"ragstone: {name} is not as it was frozen: 1 changed")
