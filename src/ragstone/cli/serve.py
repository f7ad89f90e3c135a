"""Take records of a live pipeline over HTTP, keep them, and watch them by the minute.

Only this machine can reach the server unless another --host is given, which needs a token."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ragstone.cli.common import config_of
from ragstone.cli.flags import flag, share, utf8, whole
from ragstone.cli.runs import add_ledger
from ragstone.errors import ConfigError, InputError
from ragstone.extras import install_line

if TYPE_CHECKING:
    from ragstone.serve.alert_log import Webhook
    from ragstone.serve.gold_desk import GoldDesk
    from ragstone.serve.page_routes import Board
    from ragstone.suites.config_file import Config

# package → the module of it that is needed.
PACKAGES = {
    "starlette": "starlette",
    "uvicorn": "uvicorn",
    "opentelemetry-proto": "opentelemetry.proto.collector",
}


def configure(parser: argparse.ArgumentParser) -> None:
    flag(parser, "--host H", "the address to listen on", default="127.0.0.1")
    flag(
        parser, "--port N", "the port to listen on; 0 is any that is free", type=_port, default=8787
    )
    flag(parser, "--data DIR", "where records are kept (default: .ragstone/live)")
    flag(parser, "--token-file FILE", "what requests must bring (default: RAGSTONE_TOKEN)")
    says = "let pass what a proxy has signed in: requests with this header"
    flag(parser, "--trust-proxy-header NAME", says)
    flag(parser, "--gold FILE", "the gold set, for the metrics of answers (default: paths.gold)")
    flag(parser, "--webhook URL", "where alerts are sent, signed with RAGSTONE_WEBHOOK_SECRET")
    shadow = "a target that is asked live questions too, such as index:PATH (docs/shadow.md)"
    flag(parser, "--shadow TARGET", shadow, type=utf8)
    flag(parser, "--share X", "how much of the questions it is asked (default: 0.1)", type=share)
    flag(parser, "--shadow-run NAME", "what the pairs of answers are kept under (default: shadow)")
    flag(parser, "--edit-gold", "let people who look at the pages edit the gold set")
    flag(parser, "--texts FILE", "texts of chunks for that: {id, text} a line")
    add_ledger(parser)
    flag(parser, "--get PATH", "print one page, such as /runs or /runs.json, and open no port")


def run(arguments: argparse.Namespace) -> int:
    must_have_packages()
    from ragstone.engine.duck import Duck
    from ragstone.own_files import no_link_to
    from ragstone.serve.access import access_for
    from ragstone.serve.board import board_of, saved_live
    from ragstone.serve.canary_board import CanaryBoard
    from ragstone.serve.canary_command import canary_setup
    from ragstone.serve.judged_records import judging_by
    from ragstone.serve.run_server import Address, Serving, run_server, token_in
    from ragstone.serve.serve_settings import serve_settings
    from ragstone.serve.shadow_settings import shadow_settings
    from ragstone.worker import Troubles

    config = config_of(arguments)
    settings = serve_settings(config)
    if arguments.data:
        settings = replace(settings, data=Path(arguments.data))
    else:
        no_link_to(settings.data)
    gold = [arguments.gold] if arguments.gold else config.shared("gold")
    if arguments.get is not None:
        with Duck(1) as duck, canary_setup(config, settings, gold) as setup:
            live = saved_live(settings, judging_by(config, gold, duck))
            board = board_of(config, arguments.ledger)
            with CanaryBoard(settings.data, setup) as canary:
                shown = replace(board, live=live, canary=canary if live else None)
                return _get(shown, arguments.get)
    token = os.environ.get("RAGSTONE_TOKEN", "")
    if arguments.token_file:
        token = token_in(Path(arguments.token_file))
        if not token:
            raise ConfigError(f"the token file {arguments.token_file} is empty")
    access = access_for(arguments.host, token, arguments.trust_proxy_header or "")
    given = {"target": arguments.shadow, "share": arguments.share, "run": arguments.shadow_run}
    named = arguments.config is not None
    shadow = shadow_settings(config, settings.data, given, named=named)
    # The engine holds what is read once of the gold set, for as long as the server runs.
    with Duck(1) as duck, canary_setup(config, settings, gold) as setup:
        judging = judging_by(config, gold, duck)
        webhook = _webhook(arguments.webhook, settings.webhook)
        board = board_of(config, arguments.ledger, signs_out=bool(access.token))
        desk = _desk(arguments, config, settings.edit_gold, gold, board)
        troubles = Troubles()
        with CanaryBoard(settings.data, setup, troubles) as canary:
            shown = replace(board, canary=canary)
            serving = Serving(
                *(settings, access, judging, shown, webhook, shadow, desk, troubles),
                allowed=config.allowed,
            )
            for each in judging.unwatched:
                if each.required:
                    _say(arguments)(f"ragstone serve: {each}")
            run_server(serving, Address(arguments.host, arguments.port), _say(arguments))
    return 0


def _desk(
    arguments: argparse.Namespace,
    config: Config,
    asked_for: bool,
    gold: Sequence[str],
    board: Board,
) -> GoldDesk | None:
    """The gold set that people may edit; None unless whoever starts the server says so."""
    from ragstone.serve.gold_desk import GoldDesk

    if asked_for and not arguments.edit_gold and arguments.config is None:
        # A file that was merely found must not open the gold set to writers.
        raise ConfigError(
            "ragstone.toml says serve.edit_gold, and nobody has named this file: give "
            "--edit-gold, or name the file with --config"
        )
    if not (arguments.edit_gold or asked_for):
        if arguments.texts:
            raise ConfigError("--texts goes with --edit-gold")
        return None
    if len(gold) != 1:
        raise ConfigError("--edit-gold needs one gold set: give --gold FILE, or set paths.gold")
    if board.texts != "all":
        raise ConfigError(
            f'--edit-gold shows whole texts, and report.texts is "{board.texts}": leave one out'
        )
    desk = GoldDesk(gold[0], board.runs, texts=_texts(arguments.texts), allowed=config.allowed)
    # What is wrong with the file is said at the start, and not to whoever presses a button.
    desk.gold()
    return desk


def _texts(given: str | None) -> dict[str, str]:
    from ragstone.cli.check import items
    from ragstone.contracts.record import Given
    from ragstone.contracts.records.retrieval_records import TEXTS
    from ragstone.contracts.sources import find
    from ragstone.engine.duck import Duck

    if not given:
        return {}
    with Duck(1) as duck:
        listed = items(duck, find(given, "texts", duck.scratch), TEXTS, Given())
    return {str(each["id"]): str(each["text"]) for each in listed}


def _webhook(given: str | None, named: str) -> Webhook | None:
    """Where alerts are sent: an address that the user named, here or in a file that was named."""
    from ragstone.contracts.remote_files import must_be_named
    from ragstone.serve.alert_log import webhook_to

    if not given:
        must_be_named(named, "a webhook")
    url = given or named
    return webhook_to(url, os.environ.get("RAGSTONE_WEBHOOK_SECRET", "")) if url else None


def _get(board: Board, address: str) -> int:
    """Prints a page; 1 where there is none."""
    from ragstone.serve.page_routes import Pages
    from ragstone.serve.printed_page import printed_page

    status, body = printed_page(Pages(board).routes(), address)
    sys.stdout.buffer.write(body if body.endswith(b"\n") else body + b"\n")
    return 0 if status < 400 else 1


def _say(arguments: argparse.Namespace) -> Callable[[str], None]:
    def say(text: str) -> None:
        if not arguments.quiet:
            print(text, file=sys.stderr, flush=True)

    return say


def _port(text: str) -> int:
    found = whole(text)
    if not 0 <= found < 65536:
        raise argparse.ArgumentTypeError(f"expected a port from 0 to 65535, found {found}")
    return found


def must_have_packages() -> None:
    """Refuses to start without the packages of the extra, and says how to get them."""
    missing = [package for package, module in PACKAGES.items() if not _is_there(module)]
    if missing:
        lines = " && ".join(install_line(each) for each in missing)
        raise InputError(f"ragstone serve needs {', '.join(missing)}; get it with: {lines}")


def _is_there(module: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        # A package above it is not there.
        return False
