"""Spark for the tests of this folder.

Each module of tests says `pytest.importorskip("pyspark")` before it imports what needs pyspark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from spark.loopback_cluster import (
    ConnectServer,
    LoopbackCluster,
    java_problem,
    new_session,
    spark_environment,
)

HERE = Path(__file__).parent
# pyspark says it wherever Arrow is used, too, which has no pandas in it.
PANDAS_3 = "ignore:PySpark does not yet fully support pandas:FutureWarning"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here has the marker, whoever writes it.

    Those that need the cluster and no other kind of session come first: a process has one
    application at a time, and to start it again takes seconds.
    """
    places = [place for place, item in enumerate(items) if item.path.is_relative_to(HERE)]
    ours = [items[place] for place in places]
    for item in ours:
        item.add_marker(pytest.mark.spark)
        item.add_marker(pytest.mark.filterwarnings(PANDAS_3))
    ours.sort(key=lambda item: bool({"local_session", "connect"} & set(_fixtures(item))))
    for place, item in zip(places, ours, strict=True):
        items[place] = item


def _fixtures(item: pytest.Item) -> list[str]:
    return list(getattr(item, "fixturenames", ()))


@pytest.fixture(scope="session")
def driver() -> Iterator[None]:
    """This process can be a driver of Spark."""
    if problem := java_problem():
        pytest.skip(problem)
    with spark_environment():
        yield


@pytest.fixture(scope="session")
def cluster(driver: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackCluster]:
    """A master and two workers on loopback; `cluster.session()` is a new session on them."""
    running = LoopbackCluster(tmp_path_factory.mktemp("cluster"))
    yield running
    running.stop()


@pytest.fixture
def local_session(driver: None, tmp_path: Path) -> Callable[..., Any]:
    """Makes a session with Spark inside the driver's process, with two cores."""

    def made(**settings: object) -> Any:
        return new_session("local[2]", tmp_path, settings)

    return made


@pytest.fixture(scope="session")
def connect(driver: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ConnectServer]:
    """A Spark Connect server on loopback; `connect.session()` is a new session on it."""
    running = ConnectServer(tmp_path_factory.mktemp("connect"))
    yield running
    running.stop()
