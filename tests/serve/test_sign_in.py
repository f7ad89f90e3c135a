"""How a person with a browser gets in, and that nobody else does."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator
from urllib.parse import urlencode

import pytest
from fake_clock import FakeClock
from hypothesis import example, given
from hypothesis import strategies as st
from serve.running_server import Answer, Server, serving

from ragstone.errors import ConfigError
from ragstone.serve.access import Access, access_for, cookie_for
from ragstone.serve.senders import WrongTokens
from ragstone.serve.sign_in import own_address

TOKEN = "a-token-of-some-length"
FORM = "application/x-www-form-urlencoded"
HTML = "text/html,application/xhtml+xml"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("guarded"), RAGSTONE_TOKEN=TOKEN) as running:
        yield running


def enter(server: Server, token: str, onward: str = "", **headers: str) -> Answer:
    body = urlencode({"token": token, "next": onward}).encode()
    return server.ask("POST", "/sign-in", body, Content_Type=FORM, **headers)


def cookie_of(answer: Answer) -> str:
    return answer.headers["set-cookie"].partition(";")[0]


def test_a_browser_is_led_to_the_form_and_back(server: Server) -> None:
    asked = server.get("/runs?suite=answers", Accept=HTML)
    assert (asked.status, asked.body) == (303, b"")
    assert asked.headers["location"] == "/sign-in?next=/runs%3Fsuite%3Danswers"
    form = server.get(asked.headers["location"], Accept=HTML)
    assert form.status == 200
    assert b'value="/runs?suite=answers"' in form.body
    entered = enter(server, TOKEN, "/runs?suite=answers")
    assert (entered.status, entered.headers["location"]) == (303, "/runs?suite=answers")
    said = entered.headers["set-cookie"].lower()
    assert "httponly" in said
    assert "samesite=strict" in said
    assert TOKEN not in said
    assert server.get("/runs", Cookie=cookie_of(entered)).status == 200
    assert b"Sign out" in server.get("/runs", Cookie=cookie_of(entered)).body
    left = server.ask("POST", "/sign-out", Cookie=cookie_of(entered))
    assert (left.status, 'ragstone=""' in left.headers["set-cookie"]) == (303, True)


def test_the_cookie_reads_pages_and_writes_nothing(server: Server) -> None:
    cookie = cookie_of(enter(server, TOKEN))
    body = json.dumps({"qid": "A1"}).encode()
    for path in ("/v1/records", "/v1/traces", "/v1/forget"):
        answer = server.ask("POST", path, body, Content_Type="application/json", Cookie=cookie)
        assert answer.status == 401
    assert server.get("/live.json", Cookie=cookie).status == 200


def test_programs_are_told_in_json(server: Server) -> None:
    answer = server.get("/runs.json")
    assert (answer.status, list(answer.json)) == (401, ["error"])


@pytest.mark.parametrize(
    "held",
    [
        "",
        "ragstone=",
        "ragstone=1",
        f"ragstone={TOKEN}",
        f"ragstone={cookie_for('another-token-altogether', 9_999_999_999)}",
        f"ragstone={cookie_for(TOKEN, 1)}",
        f"ragstone=9{cookie_for(TOKEN, 999_999_999)}",
    ],
)
def test_another_cookie_is_no_good(server: Server, held: str) -> None:
    assert server.get("/runs.json", Cookie=held).status == 401


def test_a_form_of_another_site_does_not_sign_in(server: Server) -> None:
    assert enter(server, TOKEN, Origin="https://evil.example").status == 403
    own = f"http://127.0.0.1:{server.port}"
    assert enter(server, TOKEN, Origin=own).status == 303


def guess(server: Server, token: str, sender: str = "127.0.0.1") -> int:
    """The status of a request that bears a token, from an address of this machine."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, source_address=(sender, 0))
    try:
        connection.request("GET", "/runs.json", headers={"Authorization": f"Bearer {token}"})
        return connection.getresponse().status
    finally:
        connection.close()


def test_guesses_are_counted_by_sender_and_lock_nobody_out(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with serving(tmp_path_factory.mktemp("guessed"), RAGSTONE_TOKEN=TOKEN) as server:
        forms = [enter(server, f"wrong {number}").status for number in range(6)]
        bears = [guess(server, f"wrong-{number}") for number in range(6)]
        assert (forms, bears) == ([401] * 6, [401] * 4 + [429] * 2)
        too_many = enter(server, "wrong again")
        assert (too_many.status, b"wait a minute" in too_many.body) == (429, True)
        # Another sender may err, too, and the right token passes from wherever it comes.
        assert guess(server, "wrong", "127.0.0.2") == 401
        assert enter(server, TOKEN).status == 303
        assert guess(server, TOKEN) == guess(server, TOKEN, "127.0.0.2") == 200
        found = server.get("/metrics", Authorization=f"Bearer {TOKEN}").body
        assert b"ragstone_wrong_tokens_total 14\n" in found
        # Whoever brings no token does not guess.
        assert server.get("/runs.json").status == 401


def test_after_a_minute_a_sender_may_err_again() -> None:
    clock = FakeClock()
    wrong = WrongTokens(clock)
    assert [wrong.add("a") for _ in range(11)] == [False] * 10 + [True]
    clock.now += 59
    assert [wrong.add("a"), wrong.add("b")] == [True, False]
    clock.now += 60
    assert wrong.add("a") is False


@pytest.mark.parametrize(
    ("kind", "body"),
    [("application/json", b"{}"), (FORM, b"token=" + b"x" * 5000), ("", b"token=x")],
)
def test_what_is_no_form_is_refused(server: Server, kind: str, body: bytes) -> None:
    assert server.ask("POST", "/sign-in", body, Content_Type=kind).status == 400


def test_without_a_token_there_is_no_form(tmp_path_factory: pytest.TempPathFactory) -> None:
    with serving(tmp_path_factory.mktemp("open")) as server:
        assert server.get("/sign-in").status == 404


def test_every_page_says_what_a_browser_may_do_with_it(server: Server) -> None:
    cookie = cookie_of(enter(server, TOKEN))
    for path in ("/", "/runs.json", "/questions", "/compare", "/live", "/runs/none", "/sign-in"):
        found = {
            name.lower(): text for name, text in server.get(path, Cookie=cookie).headers.items()
        }
        policy = found["content-security-policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "frame-ancestors 'none'" in policy
        assert "script-src 'sha256-" in policy
        assert found["x-content-type-options"] == "nosniff"
        assert found["referrer-policy"] == "same-origin"
        assert found["cache-control"] == "no-store"
        assert "set-cookie" not in found
        assert "access-control-allow-origin" not in found


@example("//other.example/runs")
@example("/\\other.example/runs")
@given(st.text(max_size=60))
def test_the_way_on_stays_on_this_server(word: str) -> None:
    from urllib.parse import urljoin, urlsplit

    there = urlsplit(urljoin("http://own.example/sign-in", own_address(word)))
    assert there.netloc == "own.example"


@given(st.text(max_size=80))
def test_no_text_is_a_good_cookie(text: str) -> None:
    access = Access(TOKEN)
    assert access.refusal("/runs", {"cookie": f"ragstone={text}"}) is not None


def test_strangers_need_something_that_is_hard_to_guess() -> None:
    assert access_for("0.0.0.0", "a" * 16, "").token == "a" * 16
    for host, token, reason in (
        ("127.0.0.1", "a" * 15, "too short"),
        ("127.0.0.1", "a" * 16 + "é", "letters, digits and signs of ASCII"),
        ("0.0.0.0", "", "can be reached from other machines"),
    ):
        with pytest.raises(ConfigError, match=reason):
            access_for(host, token, "")


def test_a_cookie_ends() -> None:
    access = Access(TOKEN)
    good = cookie_for(TOKEN, int(time.time()) + 60)
    assert access.refusal("/runs", {"cookie": f"a=b; ragstone={good}"}) is None
    assert access.refusal("/runs", {"cookie": f"ragstone={good}"}, "POST") is not None
    ended = cookie_for(TOKEN, int(time.time()) - 1)
    longer = f"{int(time.time()) + 60}.{ended.partition('.')[2]}"
    for cookie in (ended, longer):
        assert access.refusal("/runs", {"cookie": f"ragstone={cookie}"}) is not None
