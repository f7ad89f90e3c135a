"""What the page costs: scoring to the terminal beside scoring with `-o report.html`.

    python bench/page.py [--rows 1000000] [--questions 10000] [--rounds 2]

Prints the processor time of both and their ratio, the size of the page, and of a page with fewer
questions how long its filter takes in a browser, where one is installed. The ratios are what to
read.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from answers import make
from process import best, byte_code

SCORE = (sys.executable, "-m", "ragstone", "score", "--no-config", "--quiet", "--by", "tags",
         "--gold", "gold.jsonl", "--trace", "trace.jsonl")  # fmt: skip


def costs(folder: Path, rows: int, rounds: int) -> None:
    make(folder, rows)
    terminal = best(SCORE, rounds, folder)
    page = best([*SCORE, "-o", "report.html"], rounds, folder)
    size = (folder / "report.html").stat().st_size
    print(f"{rows:,} rows")
    print(f"  to the terminal      {terminal.cpu:6.2f} s  {terminal.peak_mb:6.0f} MB")
    print(f"  with -o report.html  {page.cpu:6.2f} s  {page.peak_mb:6.0f} MB")
    print(f"  ratio                {page.cpu / terminal.cpu:6.2f}")
    print(f"  the page             {size / 1e6:6.2f} MB")


def filters(folder: Path, questions: int) -> None:
    """How long a filter takes in the browser, from the word to the rows of the table."""
    make(folder, questions)
    best([*SCORE, "-o", "report.html"], 1, folder)
    size = (folder / "report.html").stat().st_size
    print(f"{questions:,} questions: {size / 1e6:.2f} MB")
    chromium = shutil.which("chromium")
    if chromium is None:
        print("  no chromium here: the filter is not timed")
        return
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.goto((folder / "report.html").as_uri())
        took = page.evaluate("""() => {
            const input = document.getElementById("filter");
            const times = ["failed:cited tag:billing", "null keys", "-failed:*"].map((words) => {
                const since = performance.now();
                input.value = words;
                input.dispatchEvent(new Event("input"));
                return performance.now() - since;
            });
            return Math.max(...times);
        }""")
        looked = page.get_attribute("#count", "data-looked")
        print(f"  a filter takes at most {took:.0f} ms, and looks at {int(looked or 0):,} rows")
        browser.close()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--questions", type=int, default=10_000)
    options.add_argument("--rounds", type=int, default=2)
    given = options.parse_args()
    byte_code()
    for work, number in ((costs, given.rows), (filters, given.questions)):
        with tempfile.TemporaryDirectory() as folder:
            work(Path(folder), number, *((given.rounds,) if work is costs else ()))


if __name__ == "__main__":
    main()
