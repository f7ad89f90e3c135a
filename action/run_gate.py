"""Runs `ragstone gate` and tells GitHub: annotations, job summary, text of the comment, outputs.

It ends with 0 whatever the gate says, so that the steps after it run; the last step of the action
ends with the gate's own exit code.
"""

from __future__ import annotations

import html
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, NoReturn

TEXTS = ("clip", "all", "none")
NOTHING_SCORED = 2
# Of an error message: so many lines, and of a clipped one so many characters of each.
LINES, CLIPPED, LONGEST = 20, 200, 2000
ICON = "\N{WARNING SIGN}\N{VARIATION SELECTOR-16}"


def main() -> None:
    folder, accepted = Path(os.environ["GATE_FOLDER"]), Path(os.environ["GATE_ACCEPTED"])
    texts = texts_wanted()
    found = os.environ["GATE_COMPARE"] == "true" and accepted.is_dir()
    words = command(folder, accepted, found, texts)
    ran = subprocess.run(words, capture_output=True, check=False)
    out, err = ran.stdout.decode("utf-8", "replace"), ran.stderr.decode("utf-8", "replace")
    # A process that was killed has decided nothing.
    code = ran.returncode if ran.returncode in (0, 1, 3) else NOTHING_SCORED
    if not err and code == NOTHING_SCORED:
        err = f"ragstone gate ended with {ran.returncode}"
    show(out, err, code)
    report = folder / "report.json"
    told: dict[str, Any] = json.loads(report.read_bytes()) if report.exists() else {}
    said = (
        (folder / "report.md").read_text(encoding="utf-8") if told else nothing_scored(err, texts)
    )
    # Below the verdict and above everything that speaks of A and B.
    verdict, _, rest = said.partition("\n\n")
    text = "\n\n".join(filter(None, (verdict, compared(found), rest)))
    marker = f"<!-- ragstone action: {os.environ['GATE_ID']} -->"
    (folder / "comment.md").write_text(f"{marker}\n{text}", encoding="utf-8")
    append("GITHUB_STEP_SUMMARY", text)
    page = folder / "report.html"
    append(
        "GITHUB_OUTPUT",
        f"exit-code={code}\n"
        f"decision={told.get('decision') or ''}\n"
        f"digest={told.get('digest', '')}\n"
        f"report={page if told else ''}\n",
    )


def texts_wanted() -> str:
    """How much of the users' texts is shown: as the input says, else the file, else clipped."""
    given = os.environ["GATE_TEXTS"]
    if given and given not in TEXTS:
        refuse(f"the input texts is one of {', '.join(TEXTS)}")
    return given or texts_of_the_file() or "clip"


def texts_of_the_file() -> str | None:
    """`report.texts` of ragstone.toml; what is wrong with the file, the gate itself will say."""
    named = os.environ["GATE_CONFIG"]
    here = Path.cwd()
    places = [Path(named)] if named else [each / "ragstone.toml" for each in (here, *here.parents)]
    path = next((each for each in places if each.is_file()), None)
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8")) if path else {}
    except (OSError, ValueError):
        return None
    report = told.get("report")
    texts = report.get("texts") if isinstance(report, dict) else None
    return texts if texts in TEXTS else None


def command(folder: Path, accepted: Path, found: bool, texts: str) -> list[str]:
    """The command line: what the action needs of it first, so that `args` may say otherwise."""
    words = [os.environ["GATE_BIN"] + "/ragstone", "gate", "--record", "--ledger", str(accepted)]
    words += ["--report-texts", texts, "-f", "github"]
    for name in ("report.html", "report.md", "report.json"):
        words += ["-o", str(folder / name)]
    if os.environ["GATE_CONFIG"]:
        words += ["--config", os.environ["GATE_CONFIG"]]
    words += split("args", os.environ["GATE_ARGS"])
    if found:
        words += ["--baseline", os.environ["GATE_NAME"]]
        words += split("compare-args", os.environ["GATE_COMPARE_ARGS"])
    return words


def split(name: str, given: str) -> list[str]:
    """The words of an input as a shell would read them, but nothing in them is run or expanded."""
    try:
        return shlex.split(given)
    except ValueError:
        refuse(f"the input {name} has a quotation mark that is not closed")


def show(out: str, err: str, code: int) -> None:
    """Annotations beside the lines they are about, then the messages, which may quote any data."""
    here = os.path.relpath(Path.cwd(), os.environ["GITHUB_WORKSPACE"])
    if here != "." and not here.startswith(".."):
        # GitHub knows files by their path from the repository's root.
        out = re.sub(r"^(::\w+ file=)(?!/)", rf"\g<1>{as_property(here)}/", out, flags=re.MULTILINE)
    print(out, end="")
    if code == NOTHING_SCORED:
        print(f"::error title=ragstone%3A nothing was scored::{as_message(err.strip()[:LONGEST])}")
    if err:
        token = os.urandom(16).hex()
        print(f"::stop-commands::{token}\n{err.rstrip()}\n::{token}::")


def nothing_scored(err: str, texts: str) -> str:
    """What the comment says in place of a report."""
    said = f"## {ICON} NOTHING WAS SCORED\n\nThe input or the command line is wrong"
    if texts == "none":
        # A message may quote the line that is wrong.
        return f"{said}; the log of the job says what.\n"
    longest = CLIPPED if texts == "clip" else LONGEST
    lines = [line[:longest] for line in err.strip().splitlines()[:LINES]]
    return f"{said}:\n\n<pre>{as_html(chr(10).join(lines))}</pre>\n"


def compared(found: bool) -> str:
    """What this was compared with, or why with nothing."""
    branch = f"<code>{as_html(os.environ['GATE_BRANCH'][:80])}</code>"
    if found:
        return f"Compared with the accepted run of {branch}: that is A, and this run is B."
    if os.environ["GATE_COMPARE"] == "true":
        return (
            f"Compared with nothing: {branch} has no accepted run yet. The next that passes there "
            f"will be one."
        )
    return ""


def as_html(text: str) -> str:
    """Text that Markdown and HTML show as it is; GitHub links and mentions nothing in code."""
    plain = html.escape(text, quote=False)
    return re.sub(r"[`*_\[\]|~$@#\\\r\n:]", lambda match: f"&#{ord(match.group())};", plain)


def as_message(text: str) -> str:
    """The message of a workflow command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def as_property(text: str) -> str:
    """A property of a workflow command."""
    return as_message(text).replace(":", "%3A").replace(",", "%2C")


def append(variable: str, text: str) -> None:
    """To one of the files by which a step tells the runner something."""
    with Path(os.environ[variable]).open("a", encoding="utf-8") as file:
        file.write(text)


def refuse(says: str) -> NoReturn:
    print(f"::error title=ragstone::{says}")
    sys.exit(NOTHING_SCORED)


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    main()
