"""Nothing opens a connection: seen from Python, from the kernel, and from a machine without one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command import INPUTS, Folder, Process

LINE = ("score", *INPUTS, "--by", "tags", "-o", "r.html", "-o", "r.sarif", "-o", "r.xml", "--json")

# Runs the command with a hook on every event of Python's that could lead to a network, once the
# hook has shown that it notices a socket.
AUDITED = """
import socket, sys
seen = []
roots = ("socket.", "urllib.", "http.", "ftplib.", "smtplib.")
sys.addaudithook(lambda event, _: seen.append(event) if event.startswith(roots) else None)
socket.socket().close()
if not seen:
    sys.exit("the hook is blind")
seen.clear()
from ragstone.cli.main import main
code = main(sys.argv[1:])
sys.exit(f"network events: {seen}" if seen else code)
"""


@pytest.fixture(autouse=True)
def good(folder: Folder) -> None:
    folder.fill()


def run(ragstone: Process, words: list[str]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        words, cwd=ragstone.folder.work, env=ragstone.environment, capture_output=True, check=False
    )


def test_python_opens_no_socket(ragstone: Process) -> None:
    ran = run(ragstone, [sys.executable, "-c", AUDITED, *LINE])
    assert (ran.returncode, ran.stderr.decode()) == (0, "wrote r.html, r.sarif, r.xml\n")


def network_calls(ragstone: Process, tmp_path: Path, words: list[str]) -> list[str]:
    """The calls to the kernel that make or use a socket, of the process and all its children."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    log = tmp_path / "calls"
    ran = run(ragstone, ["strace", "-f", "-qq", "-e", "trace=%network", "-o", str(log), *words])
    if ran.returncode and b"ptrace" in ran.stderr:
        pytest.skip("processes may not be traced here")
    assert ran.returncode == 0, ran.stderr.decode()
    calls = log.read_text().splitlines()
    return [call for call in calls if "(" in call and "SIG" not in call.split("(")[0]]


def test_the_kernel_sees_no_socket_of_ours_or_of_duckdbs(ragstone: Process, tmp_path: Path) -> None:
    assert network_calls(ragstone, tmp_path, [*ragstone.argv, *LINE]) == []


def test_the_kernel_would_see_one(ragstone: Process, tmp_path: Path) -> None:
    code = "import socket; socket.socket().close()"
    assert network_calls(ragstone, tmp_path, [sys.executable, "-c", code]) != []


def test_it_runs_where_there_is_no_network_at_all(ragstone: Process) -> None:
    alone = ["unshare", "--net", "--map-root-user"]
    if shutil.which("unshare") is None or run(ragstone, [*alone, "true"]).returncode:
        pytest.skip("a process may not be cut off from the network here")
    ran = run(ragstone, [*alone, *ragstone.argv, *LINE])
    assert ran.returncode == 0, ran.stderr.decode()
    assert ran.stdout == run(ragstone, [*ragstone.argv, *LINE]).stdout


def test_duckdb_may_fetch_nothing(folder: Folder) -> None:
    from ragstone.engine.duck import Duck

    with Duck() as duck:
        names = ("autoinstall_known_extensions", "autoload_known_extensions")
        settings = dict(
            duck.query(f"select name, value from duckdb_settings() where name in {names}")
        )
    assert settings == dict.fromkeys(names, "false")
