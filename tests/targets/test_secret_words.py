"""Keys and passwords in an address reach the target, and no file and no message."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from running import words, written_in

from ragstone.cli.main import main
from ragstone.targets.masks import Masks
from ragstone.targets.secret_words import secrets_in, shown_address

SECRET = "s3cr3t-Value"
ADDRESSES = [
    "http://host:8000/ask?model=small&api_key={}",
    "http://host/ask?X-Api-Key={}#top",
    "http://host/ask?api%5Fkey={}&a=1",
    "http://me:{}@host/ask",
    "openai:https://host/v1?sig={}#small",
    "cmd:./pipeline --api-key {}",
    "cmd:./pipeline --api-key={} --model small",
    "cmd:./pipeline --token '{} and more'",
    "cmd:env OPENAI_API_KEY={} ./pipeline",
    "cmd:./pipeline -H 'Authorization: Bearer {}'",
    "cmd:./pipeline --url https://host:80/?key={}",
    """cmd:./pipeline --settings '{{"clientSecret": "{}", "k": 5}}'""",
    """cmd:sh -c "./pipeline --password {}" """,
    "cmd:./pipeline --token '{}",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_secret_is_masked_wherever_it_stands(address):
    shown = shown_address(address.format(SECRET))
    assert SECRET not in shown
    assert "***" in shown or "@" in address
    assert shown_address(shown) == shown


@given(st.sampled_from(ADDRESSES), st.from_regex(r"[A-Za-z0-9_.]{6,40}", fullmatch=True))
def test_no_secret_of_any_look_is_left(address, secret):
    filled = address.format(f"<{secret}>")
    assert f"<{secret}>" not in shown_address(filled)


@pytest.mark.parametrize("secret", ["sk-proj-abcdefghijkl", "ghp_0123456789abcdefghij"])
def test_a_key_is_known_by_its_look_where_nothing_names_it(secret):
    assert secret not in shown_address(f"cmd:./pipeline {secret}")
    assert secret not in shown_address(f"http://host/{secret}/ask")


@pytest.mark.parametrize(
    "address",
    [
        "py:pipeline:answer",
        "http://localhost:8000/ask?k=5&tokens=100&max_token=20",
        "openai:http://localhost:8080/v1#Meta-Llama-3-1-8B-Instruct-Q4_K_M",
        "cmd:python 'my pipeline.py' --key-file a.pem --monkey 1",
        f"cmd:./pipeline --commit {'0a' * 20}",
        "index:docs.index",
    ],
)
def test_what_is_no_secret_is_shown_as_it_is(address):
    # Two versions that look the same in the journal would be taken for one.
    assert shown_address(address) == address


def test_what_a_program_says_of_its_secret_is_masked():
    secrets = secrets_in("cmd:./pipeline --token abcdefgh --password abcdef")
    assert Masks.of(secrets).text("abcdefgh abcdef") == "*** ***"


PROGRAM = """
import sys
given = " ".join(sys.argv[1:])
for line in sys.stdin:
    if "chats" in given:
        print("started with", given, flush=True)
    sys.exit("cannot use " + given)
"""


@pytest.mark.parametrize("more", ["", "chats"])
def test_no_file_and_no_message_holds_the_key_of_a_program(more, questions, tmp_path, capfd):
    (tmp_path / "program.py").write_text(PROGRAM)
    program = shlex.join([sys.executable, str(tmp_path / "program.py"), "--api-key", SECRET, more])
    given = words(questions(2), f"cmd:{program}", tmp_path / "t.jsonl", "--retries", "0", "--json")
    main([*given, "--debug"])
    main([word.replace("cmd:", "cmt:") for word in given])
    main([word.replace("cmd:", "py:") for word in given])
    main([word.replace("cmd:", "cmd:'") for word in given])
    printed = capfd.readouterr()
    assert "***" in printed.out + printed.err
    assert SECRET not in printed.out + printed.err + written_in(tmp_path, besides="")


def test_a_new_key_goes_on_with_the_same_journal(questions, tmp_path):
    program = Path(__file__).parent / "retrieving_program.py"
    target = f"cmd:{shlex.join([sys.executable, str(program), '--token'])}"
    gold = questions(2)
    assert main(words(gold, f"{target} abcdefgh", tmp_path / "t.jsonl")) == 0
    assert main(words(gold, f"{target} ijklmnop", tmp_path / "t.jsonl")) == 0
