"""The next index beside the live one: real traffic through the middleware, and the decision.

    python examples/shadow.py FOLDER            # the next index is cut every 60 characters
    python examples/shadow.py FOLDER --sound    # it is cut at sentences, into smaller chunks

Two indexes of the demonstration's manual are built. An app answers from the live one; the mirror
asks every question of the next one, too. Then `ragstone canary --live-dir` decides, and this
script ends with its exit code: 0 to promote, 1 to roll back, 3 to go on.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import uvicorn

from ragstone.shadow import Mirror
from ragstone.targets.protocol import Ask, Opening, open_target

CUT = 60


def ragstone(folder: Path, *words: str) -> int:
    """One command, in the folder; what it prints is shown."""
    print(f"$ ragstone {' '.join(words)}", flush=True)
    return subprocess.run([sys.executable, "-m", "ragstone", *words], cwd=folder).returncode


def prepare(folder: Path, sound: bool) -> None:
    """The manual, two indexes of it, and the gold set with the ids of each."""
    demo = resources.files("ragstone").joinpath("demo")
    (folder / "docs").mkdir(parents=True)
    for page in demo.joinpath("docs").iterdir():
        if page.name.endswith(".md"):
            (folder / "docs" / page.name).write_bytes(page.read_bytes())
    (folder / "gold.jsonl").write_bytes(demo.joinpath("gold.jsonl").read_bytes())
    must(ragstone(folder, "index", "build", "docs", "-o", "live.index", "-q"))
    if sound:
        smaller = ("--chunk-size", "300")
        must(ragstone(folder, "index", "build", "docs", "-o", "next.index", *smaller, "-q"))
    else:
        cut_blindly(folder / "docs", folder / "cut")
        must(ragstone(folder, "index", "build", "cut", "-o", "next.index", "-q"))
    manifests = (f"{name}.index/manifest.jsonl" for name in ("live", "next"))
    gold = ("--gold", "gold.jsonl", "-o", "gold.next.jsonl")
    must(ragstone(folder, "migrate", *manifests, *gold, "-q"))


def cut_blindly(pages: Path, pieces: Path) -> None:
    """Every page as pieces of so many characters: no headings, and sentences cut in two."""
    pieces.mkdir()
    for page in sorted(pages.glob("*.md")):
        text = " ".join(page.read_text(encoding="utf-8").replace("#", " ").split())
        for number, begin in enumerate(range(0, len(text), CUT)):
            piece = text[begin : begin + CUT]
            (pieces / f"{page.stem}-{number:03}.txt").write_text(f"{piece}\n", encoding="utf-8")


def must(code: int) -> None:
    if code:
        sys.exit(code)


def live_app(folder: Path) -> Any:
    """An app that answers `POST /ask` with `{"q": ...}` from the live index."""
    index = open_target(f"index:{folder / 'live.index'}", Opening(texts=True))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        asked = json.loads((await receive())["body"])
        found = await index.ask(Ask("", asked["q"]))
        reply = {**found.extra, "answer_json": found.answer_json}
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": json.dumps(reply).encode()})

    return app


async def _lifespan(receive: Any, send: Any) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


@contextmanager
def served(app: Any) -> Iterator[int]:
    """The app on a free port of this machine; afterwards the mirror has ended, too."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_config=None))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listening])))
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


def ask_all(port: int, gold: Path) -> int:
    """Every question of the gold set, one after the other, as people would ask them."""
    lines = gold.read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line)["question"] for line in lines]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    for question in asked:
        body = json.dumps({"q": question})
        connection.request("POST", "/ask", body, {"Content-Type": "application/json"})
        reply = connection.getresponse()
        if reply.status != 200 or not reply.read():
            sys.exit(f"the app answered {question!r} with {reply.status}")
    connection.close()
    return len(asked)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="a folder that does not exist yet")
    parser.add_argument("--sound", action="store_true", help="cut the next index at sentences")
    given = parser.parse_args()
    folder: Path = given.folder.absolute()
    if folder.exists():
        parser.error(f"{given.folder} exists; give a folder that does not")
    prepare(folder, given.sound)
    target, data = f"index:{folder / 'next.index'}", folder / "data"
    app = Mirror(live_app(folder), target=target, share=1.0, data=data, path="/ask", closing=60)
    with served(app) as port:
        count = ask_all(port, folder / "gold.jsonl")
    counts = app.counts()
    print(f"{count} questions were asked, {counts.answered} of them of the next index, too")
    if counts.answered < count:
        sys.exit(f"the mirror lost some: {counts}")
    golds = ("--gold", "gold.jsonl", "--shadow-gold", "gold.next.jsonl")
    # Neither index logs λ, and the embedder of the index is not calibrated for ΔS.
    off = ("--gates", "flips=off", "delta_s_median=off")
    words = ("canary", "--live-dir", "data", *golds, *off, "--exit-code", "-o", "canary.html")
    return ragstone(folder, *words)


if __name__ == "__main__":
    sys.exit(main())
