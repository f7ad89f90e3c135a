"""A file that merely lies in the folder connects to nothing, whichever of its keys says where.

That is a ragstone.toml that nobody named, and the recording of a run.
"""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from builders import gold, trace, write_jsonl
from command import Ran, ragstone

from ragstone.errors import ConfigError
from ragstone.serve.serve_settings import _CANARY_KEYS, _KEYS, serve_settings
from ragstone.serve.shadow_settings import KEYS as SHADOW_KEYS
from ragstone.serve.shadow_settings import shadow_settings
from ragstone.suites.config_file import _TABLES, Config
from ragstone.suites.registry import find_suite, suites, tables

FILES = ("--gold", "gold.jsonl", "--trace", "trace.jsonl", "--quiet")
# What each table that belongs to no suite needs beside the address, and the command that reads it.
OF_NO_SUITE = {
    "paths": ("gold = '{address}'", ("score", "--trace", "trace.jsonl")),
    "read": ("ids = '{address}'", ("score", *FILES)),
    "map": ("trace.claim = '{address}'", ("score", *FILES)),
    "contracts": ("allow = ['{address}']", ("score", *FILES)),
    "format": ("x = {{ reads = 'trace', sql = '{address}' }}", ("score", *FILES, "--from", "x")),
    "scu": ("rules = [{{ locked = '{address}', contradicts = 'x' }}]", ("score", *FILES, "--scu")),
    "report": ("texts = '{address}'", ("score", *FILES)),
    "ledger": ("path = '{address}'\nrecord = true", ("score", *FILES)),
    "engine": ("name = 'spark'\nmaster = '{address}'", ("score", *FILES)),
    "judge": ("labels = '{address}'", ("score", *FILES)),
}


@pytest.fixture
def listener() -> Iterator[tuple[int, list[bytes]]]:
    """A port of this machine, and the peers that have connected to it."""
    peers: list[bytes] = []
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        server.settimeout(0.05)
        ended = threading.Event()

        def listen() -> None:
            while not ended.is_set():
                try:
                    connection, _ = server.accept()
                except TimeoutError:
                    continue
                peers.append(b"connected")
                connection.close()

        thread = threading.Thread(target=listen)
        thread.start()
        try:
            yield server.getsockname()[1], peers
        finally:
            ended.set()
            thread.join()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write_jsonl(tmp_path / "gold.jsonl", [gold("A"), gold("B")])
    write_jsonl(tmp_path / "trace.jsonl", [trace("A"), trace("B")])
    return tmp_path


def heard(peers: list[bytes]) -> bool:
    """Whether somebody has connected; a connection that is under way is waited for."""
    threading.Event().wait(0.15)
    return bool(peers)


def run(files: Path, toml: str, words: tuple[str, ...]) -> Ran:
    (files / "ragstone.toml").write_text(toml, encoding="utf-8")
    return ragstone(*words, cwd=files)


def test_the_listener_hears_who_connects(listener: tuple[int, list[bytes]], files: Path) -> None:
    port, peers = listener
    toml = f"[ledger]\npath = 'ftp://127.0.0.1:{port}/x'\nrecord = true\n"
    (files / "ragstone.toml").write_text(toml, encoding="utf-8")
    ran = ragstone("score", *FILES, "--config", "ragstone.toml", cwd=files)
    assert ran.code == 2
    assert "fault" not in ran.err
    assert heard(peers)


def test_every_table_is_tried() -> None:
    assert {*OF_NO_SUITE, "serve"} == {*_TABLES}


@pytest.mark.parametrize("scheme", ["http", "ftp"])
@pytest.mark.parametrize("table", OF_NO_SUITE)
def test_no_table_of_a_found_file_connects(
    table: str, scheme: str, listener: tuple[int, list[bytes]], files: Path
) -> None:
    port, peers = listener
    body, words = OF_NO_SUITE[table]
    address = f"{scheme}://127.0.0.1:{port}/gold.jsonl"
    ran = run(files, f"[{table}]\n{body.format(address=address)}\n", words)
    assert not heard(peers)
    assert "fault in ragstone" not in ran.err
    if table in ("paths", "ledger"):
        assert ran.code == 2
        assert "nobody has named ragstone.toml" in ran.err


def test_no_key_of_a_suite_in_a_found_file_connects(
    listener: tuple[int, list[bytes]], files: Path
) -> None:
    """Every input and every option of every suite that takes a text, with an address in it."""
    port, peers = listener
    address = f"http://127.0.0.1:{port}/x"
    for suite in suites():
        if suite.file_table not in tables():
            continue
        keys = [each.file_key for each in suite.inputs]
        keys += [each.key for each in suite.own_options if each.key and "." not in each.key]
        for key in dict.fromkeys(keys):
            for value in (f"'{address}'", f"['{address}']"):
                toml = f"[{suite.file_table}]\n{key} = {value}\n"
                ran = run(files, toml, (suite.name, "--quiet"))
                assert ran.code in (2, 3), (toml, ran.text)
                assert "fault in ragstone" not in ran.err, toml
    assert not heard(peers)


@pytest.mark.parametrize(
    "line",
    [
        "master = 'yarn'",
        "master = 'spark://{host}'",
        "spark_conf = ['spark.remote=sc://{host}']",
        "spark_conf = ['spark.jars.packages=a:b:1']",
        "spark_conf = ['spark.metrics.conf.*.sink.graphite.host=127.0.0.1']",
        "spark_conf = ['spark.sql.hive.metastore.jars=maven']",
    ],
)
def test_spark_of_a_found_file_stays_on_this_machine(
    line: str, listener: tuple[int, list[bytes]], files: Path
) -> None:
    port, peers = listener
    ran = run(
        files,
        f"[engine]\nname = 'spark'\n{line.format(host=f'127.0.0.1:{port}')}\n",
        (
            "score",
            *FILES,
        ),
    )
    assert ran.code == 2
    assert "nobody has named ragstone.toml" in ran.err
    assert not heard(peers)


def test_what_the_command_line_names_is_named_and_what_only_begins_so_is_not(
    listener: tuple[int, list[bytes]], files: Path
) -> None:
    """The user names a log; the file's ledger is where the log's address begins."""
    port, peers = listener
    address = f"ftp://127.0.0.1:{port}/"
    words = ("score", "--gold", "gold.jsonl", f"--trace={address}t.jsonl")
    ran = run(files, f"[ledger]\npath = '{address}'\nrecord = true\n", words)
    assert ran.code == 2
    assert "as a ledger, and nobody has named ragstone.toml" in ran.err
    assert not heard(peers)
    ran = run(files, f"[paths]\ntrace = '{address}t.jsonl'\n", words)
    assert ran.code == 2
    assert heard(peers)


def tables_of_the_server(address: str) -> Iterator[str]:
    """[serve] with an address under each key that takes one, as a text or in a list."""
    for table, keys in {
        "serve": _KEYS,
        "serve.shadow": SHADOW_KEYS,
        "serve.canary": _CANARY_KEYS,
    }.items():
        for key in keys:
            for value in (f"'{address}'", f"['{address}']", f"['{address}: {address}']"):
                toml = f"[{table}]\n{key} = {value}\n"
                config = Config(Path("ragstone.toml"), tomllib.loads(toml))
                try:
                    serve_settings(config)
                    shadow_settings(config, Path("data"), {"target": "cmd:cat"}, named=True)
                except ConfigError:
                    continue
                yield toml
                break


def test_no_key_of_the_server_in_a_found_file_connects(
    listener: tuple[int, list[bytes]], files: Path
) -> None:
    port, peers = listener
    address = f"http://127.0.0.1:{port}/x"
    tried = [*tables_of_the_server(address)]
    assert any("webhook" in toml for toml in tried)
    assert any("target" in toml for toml in tried)
    for toml in tried:
        (files / "ragstone.toml").write_text(toml)
        beside = "[serve.shadow]" in toml and "target" not in toml
        words = ("--shadow", "cmd:cat") if beside else ()
        line = [sys.executable, "-m", "ragstone", "serve", "--port", "0", *words]
        with subprocess.Popen(line, cwd=files, stderr=subprocess.PIPE, text=True) as server:
            assert server.stderr is not None
            said = server.stderr.readline()
            server.terminate()
            said += server.stderr.read()
        # Nothing connects before there is an alert, or a question for the shadow.
        asks = "webhook" in toml or "target" in toml
        assert ("nobody has named" in said) == asks, (toml, said)
        assert "fault in ragstone" not in said, toml
    assert not heard(peers)


def with_an_address(address: str) -> Iterator[dict[str, Any]]:
    """Options of a recording, an address in each that is no number and no yes or no."""
    for each in find_suite("answers").own_options:
        if each.kind not in (bool, int, float):
            yield {each.name: [address] if each.listed else address}
        if each.option.table is not None:
            yield {each.name: [[address, address]]}
            yield {each.name: {"x": address}}
    yield {"engine": "spark", "master": address}
    yield {"judge": "x", "judges": {"x": {"labels": address}}}


def test_no_option_of_a_recording_connects(listener: tuple[int, list[bytes]], files: Path) -> None:
    """Git keeps folders of runs: what a stranger recorded is made again from files only."""
    port, peers = listener
    assert ragstone("score", *FILES, "--record", cwd=files).code == 0
    (path,) = files.glob(".ragstone/runs/*/seen/*.json")
    recording = json.loads(path.read_bytes())
    kept = recording["held"]["answers"]["options"].copy()
    for options in with_an_address(f"ftp://127.0.0.1:{port}/x"):
        recording["held"]["answers"]["options"] = kept | options
        path.write_text(json.dumps(recording))
        ran = ragstone("verify", "last", cwd=files)
        assert ran.code in (0, 1, 3), (options, ran.text, ran.err)
        assert not re.search("fault in ragstone|Traceback", ran.err), options
    assert not heard(peers)


def test_the_baseline_of_a_recording_connects_to_nothing(
    listener: tuple[int, list[bytes]], files: Path
) -> None:
    """One that says that it was a recorded run, and has an address in its place."""
    port, peers = listener
    assert ragstone("score", *FILES, "--record", cwd=files).code == 0
    (path,) = files.glob(".ragstone/runs/*/seen/*.json")
    recording = json.loads(path.read_bytes())
    address = f"ftp://127.0.0.1:{port}/rows.parquet"
    recording["held"]["answers"]["baseline"] = {"given": address, "run": "a" * 64, "files": []}
    path.write_text(json.dumps(recording))
    ran = ragstone("verify", "last", cwd=files)
    assert ran.code in (1, 3)
    assert not heard(peers)


def test_a_recording_lets_no_model_be_fetched(tmp_path: Path) -> None:
    shutil.copytree(Path(__file__).parent / "kept" / "files", tmp_path, dirs_exist_ok=True)
    files = ("--log", "bare_log.jsonl", "--texts", "texts.jsonl", "--manifest", "manifest.jsonl")
    words = ("retrieval", "--gold", "retrieval_gold.jsonl", *files, "--record", "--no-config")
    assert ragstone(*words, cwd=tmp_path).code in (0, 1)
    (path,) = tmp_path.glob(".ragstone/runs/*/seen/*.json")
    recording = json.loads(path.read_bytes())
    recording["held"]["retrieval"]["options"] |= {
        "embedder": "sentence-transformers:a/model",
        "allow_download": True,
    }
    path.write_text(json.dumps(recording))
    ran = ragstone("verify", "last", cwd=tmp_path)
    assert "a/model is not a folder with a model" in ran.text + ran.err
