"""One comment under the pull request: made by the first run, and updated by every later one.

It is found by the hidden line that it begins with. What goes wrong here is told and changes no
verdict: a pull request from a fork has a token that may only read.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path
from typing import Any

PER_PAGE = 100
SECONDS = 30
# GitHub refuses more characters in a comment.
LONGEST = 65_536
NOT_ALLOWED = (401, 403, 404)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an error: the token is for the address that the runner named."""

    def redirect_request(self, *_: Any) -> None:
        return None


OPENER = urllib.request.build_opener(NoRedirect)


def main() -> None:
    number = pull_request()
    if number is None:
        print("This run belongs to no pull request, so there is no comment.")
        return
    body = text()
    place = f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues"
    try:
        own = next(ours(f"{place}/{number}/comments", body.splitlines()[0]), None)
        if own is None:
            made = ask("POST", f"{place}/{number}/comments", {"body": body})
            print(f"Wrote {made['html_url']}")
        else:
            made = ask("PATCH", f"{place}/comments/{own['id']}", {"body": body})
            print(f"Updated {made['html_url']}")
    except urllib.error.HTTPError as error:
        if error.code in NOT_ALLOWED:
            tell(
                "notice",
                f"the token may not comment (HTTP {error.code}), as is so for pull requests from "
                f"forks; the job summary has the same text. Elsewhere the job needs the permission "
                f"pull-requests: write",
            )
        else:
            tell("warning", f"no comment was written: GitHub replied with HTTP {error.code}")
    except (OSError, HTTPException, ValueError, KeyError, TypeError) as error:
        tell("warning", f"no comment was written: {type(error).__name__}: {error}")


def pull_request() -> int | None:
    told = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    number = told.get("pull_request", {}).get("number")
    return number if isinstance(number, int) else None


def text() -> str:
    """What the gate said, with the way to the page and to the run."""
    said = Path(os.environ["GATE_FOLDER"], "comment.md").read_text(encoding="utf-8")
    server, repository = os.environ["GITHUB_SERVER_URL"], os.environ["GITHUB_REPOSITORY"]
    run = f"{server}/{repository}/actions/runs/{os.environ['GITHUB_RUN_ID']}"
    page = os.environ["GATE_PAGE"]
    ways = [*([f"[the whole report]({page})"] if page else []), f"[this run]({run})"]
    foot = f"\n<sub>{' · '.join(ways)}</sub>\n"
    if len(said) + len(foot) > LONGEST:
        foot = f"\n\n_The rest does not fit into a comment._\n{foot}"
        said = said[: LONGEST - len(foot)].rpartition("\n\n")[0]
    return said + foot


def ours(place: str, marker: str) -> Iterator[dict[str, Any]]:
    """Comments that begin with the marker and were written with this token.

    Anybody can write the marker, and could later change a comment of their own that says "ship".
    """
    writer = login()
    page = 1
    while True:
        found = ask("GET", f"{place}?per_page={PER_PAGE}&page={page}")
        for comment in found:
            user = comment["user"] or {}
            mine = user.get("login") == writer if writer else user.get("type") == "Bot"
            if mine and (comment["body"] or "").startswith(marker):
                yield comment
        if len(found) < PER_PAGE:
            return
        page += 1


def login() -> str | None:
    """Whose token this is; None for a token of a workflow or an app, which is a bot's."""
    try:
        return str(ask("GET", "/user")["login"])
    except urllib.error.HTTPError as error:
        if error.code in NOT_ALLOWED:
            return None
        raise


def ask(method: str, place: str, sent: dict[str, str] | None = None) -> Any:
    request = urllib.request.Request(
        os.environ["GITHUB_API_URL"] + place,
        method=method,
        data=None if sent is None else json.dumps(sent).encode(),
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['GATE_TOKEN']}",
            "Content-Type": "application/json",
            "User-Agent": "ragstone-action",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    with OPENER.open(request, timeout=SECONDS) as reply:
        return json.loads(reply.read())


def tell(level: str, says: str) -> None:
    plain = says.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    print(f"::{level} title=ragstone::{plain}")


if __name__ == "__main__":
    main()
