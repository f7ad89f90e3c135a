"""A Spark session: the one that was given, the one that is there, or one made for this run."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ragstone.contracts.remote_files import must_be_named
from ragstone.errors import ConfigError, InputError
from ragstone.extras import install_line
from ragstone.scratch import folder, keep
from ragstone.suites.options import Options

# A command says what it found and nothing else.
_QUIET = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
_CONNECT = "sc://"
# So much of the log of a Spark that did not start is shown.
_TAIL = 4_000


def must_have_pyspark() -> None:
    """Says how to install what the engine needs."""
    try:
        import pyspark
        import pyspark.sql  # noqa: F401
    except ImportError:
        says = "the engine spark needs a package that is not installed"
        raise ConfigError(f"{says}: {install_line('pyspark')}") from None


@contextmanager
def session_for(options: Options, given: Any = None) -> Iterator[Any]:
    """Inside, a session with the settings of the options; one that was made here is stopped."""
    for each in (options.master or "", *options.spark_conf):
        must_be_named(each, "a master or a setting of Spark")
    must_have_pyspark()
    settings = dict(word.split("=", 1) for word in options.spark_conf)
    with quiet(), spark_errors():
        found = given if given is not None else _active(options)
        if found is not None:
            yield _with(found, settings)
            return
        made = _made(options, settings)
        try:
            yield made
        finally:
            made.stop()


def _active(options: Options) -> Any:
    """The session that this process has already, unless another master is asked for."""
    from pyspark.sql import SparkSession

    found = SparkSession.getActiveSession()
    if found is None or options.master is None:
        return found
    running = None if is_connect(found) else found.sparkContext.master
    return found if running == options.master else None


def is_connect(session: Any) -> bool:
    """Whether Spark runs in another process, behind a Connect server."""
    return type(session).__module__.startswith("pyspark.sql.connect")


def _with(session: Any, settings: dict[str, str]) -> Any:
    """The session itself, or one beside it with settings of its own."""
    if not settings:
        return session
    if not is_connect(session):
        session = session.newSession()
    for key, value in settings.items():
        session.conf.set(key, value)
    return session


def _made(options: Options, settings: dict[str, str]) -> Any:
    from pyspark.sql import SparkSession

    # Else the executors take the first python3 on PATH.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    master, given = options.master or "", settings
    builder = SparkSession.builder
    if master.startswith(_CONNECT):
        builder = builder.remote(master)
    else:
        builder = builder.appName("ragstone")
        builder = builder.master(master) if master else builder
        settings = {**_QUIET, **settings}
    for key, value in settings.items():
        builder = builder.config(key, value)
    with _unheard(master.startswith(_CONNECT) or "spark.log.level" in given):
        session = builder.getOrCreate()
    if not is_connect(session):
        session.sparkContext.setLogLevel(settings.get("spark.log.level", "ERROR"))
    return session


@contextmanager
def _unheard(heard: bool) -> Iterator[None]:
    """Inside, a JVM that starts does not write on the terminal, for as long as it lives.

    It says which options and which log it takes before anything could tell it to be silent. Whoever
    names a log level wants to see the log.
    """
    if heard:
        yield
        return
    with folder() as scratch, keep(scratch, ()).open("r+b") as log:
        own = os.dup(2)
        os.dup2(log.fileno(), 2)
        try:
            yield
        except Exception:
            log.seek(0)
            os.write(own, log.read()[-_TAIL:])
            raise
        finally:
            os.dup2(own, 2)
            os.close(own)


@contextmanager
def quiet() -> Iterator[None]:
    """Inside, pyspark does not speak of pandas, which it asks for wherever Arrow is used."""
    with warnings.catch_warnings():
        says = "PySpark does not yet fully support pandas"
        warnings.filterwarnings("ignore", message=says, category=FutureWarning)
        yield


@contextmanager
def spark_errors() -> Iterator[None]:
    """Inside, an error of Spark is told in the one line that says most."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise InputError(f"Spark could not do it: {reason_in(str(error))}") from error


def reason_in(text: str) -> str:
    r"""What went wrong, from the text of an error: a Python's or Java's exception, else all of it.

    >>> reason_in("'An exception was thrown\nTraceback:\n  x\nModuleNotFoundError: No module a\n'")
    'ModuleNotFoundError: No module a'
    """
    # The text is between quotes, of which one is on a line of its own.
    lines = [line.strip() for line in text.strip().removeprefix("'").splitlines()]
    lines = [line for line in lines if line.strip("'")]
    named = [line for line in lines if re.match(r"[\w.]*(Error|Exception): ", line)]
    return (named or lines or ["it does not say why"])[-1 if named else 0]
