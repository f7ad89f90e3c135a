"""A real Spark on this machine: a standalone cluster on loopback, `local[2]`, and a Connect server.

The programs are those inside the pyspark package. Nothing here imports pyspark before it is used,
so that the module can be collected where there is none.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

LOOPBACK = "127.0.0.1"
# Only a cluster that does not start at all takes so long, however busy the machine is.
PATIENCE = 120.0

# What every session of the tests has; what a test asks for comes on top.
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": LOOPBACK,
    "spark.driver.bindAddress": LOOPBACK,
    "spark.driver.memory": "1g",
    "spark.executor.memory": "512m",
    # A batch ends by its number of rows alone; the default also ends it at 64 MB.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
    # The number of partitions is what a test says, not what Spark makes of it on the way.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
}


def java_problem() -> str | None:
    """Why Spark cannot start here, or None. It takes JAVA_HOME's Java, else the one on PATH."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else "java"
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    except OSError:
        return "there is no Java; make deps installs one"
    version = re.search(r'version "(\d+)', said)
    if version is None or int(version[1]) < 17:
        return "Spark needs Java 17 or newer; make deps installs one"
    return None


def environment() -> dict[str, str]:
    """What Spark's programs are told by the environment; a user's own Spark has no part in it."""
    import pyspark

    return {
        "SPARK_HOME": str(Path(pyspark.__file__).parent),
        "SPARK_CONF_DIR": str(Path(pyspark.__file__).parent / "conf"),
        "SPARK_LOCAL_IP": LOOPBACK,
        # Else the executors take the first python3 on PATH, which has neither ragstone nor duckdb.
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        # All these JVMs live for seconds: the second compiler would take as much time as all of the
        # rest, and gain nothing.
        "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        # A port of its own for a second way to submit jobs, which nobody uses.
        "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",
    }


def wait_for(found: Callable[[], Any], what: str, log: Path | None = None) -> Any:
    """The first value of `found()` that is true."""
    deadline = time.monotonic() + PATIENCE
    while not (value := found()):
        if time.monotonic() > deadline:
            said = log.read_text(errors="replace") if log else ""
            raise RuntimeError(f"waited in vain for {what}\n{said}")
        time.sleep(0.05)
    return value


class Daemon:
    """A program of Spark in the background, with everything that it starts, and its log."""

    def __init__(self, log: Path, memory: str, program: str, *arguments: str) -> None:
        self.log = log
        told = {**environment(), "SPARK_DAEMON_MEMORY": memory}
        command = [str(Path(told["SPARK_HOME"], "bin", program)), *arguments]
        # When the tests themselves are killed, nobody is left to stop this.
        if setpriv := shutil.which("setpriv"):
            command = [setpriv, "--pdeathsig", "KILL", *command]
        with log.open("w") as out:
            # In a session of its own, by which `kill` finds all that it has started.
            self.process = subprocess.Popen(
                command,
                env={**os.environ, **told},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,
            )

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def said(self, pattern: str) -> str:
        """Waits until the log has the pattern, and returns its first group."""

        def found() -> re.Match[str] | None:
            line = re.search(pattern, self.log.read_text(errors="replace"))
            if line is None and not self.alive:
                raise RuntimeError(f"ended: {self.log.read_text(errors='replace')}")
            return line

        return str(wait_for(found, pattern, self.log)[1])

    def kill(self) -> None:
        """SIGKILL to the program and to all that it has started."""
        while members := session_members(self.process.pid):
            for member in members:
                with suppress(ProcessLookupError):
                    os.kill(member, signal.SIGKILL)
            # What has ended stays in the list until its parent has heard of it.
            self.process.poll()
            time.sleep(0.01)
        self.process.wait()


def session_members(leader: int) -> list[int]:
    """The processes in the session of this leader that have not ended.

    Not its process group: the daemon of pyspark that forks Python workers makes a group of its own.
    """
    listed = subprocess.run(
        ["ps", "-A", "-o", "pid=,sess=,state="], capture_output=True, text=True, check=True
    )
    rows = [line.split() for line in listed.stdout.splitlines()]
    return [int(pid) for pid, session, state in rows if session == str(leader) and state[0] != "Z"]


class LoopbackCluster:
    """A master and two workers with one core each, all bound to loopback."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._starts = 0
        self._master = self._daemon("master", "master.Master", "--webui-port", "0")
        self._workers: list[Daemon] = []
        try:
            self.master = self._master.said(r"Starting Spark master at (spark://\S+)")
            page = self._master.said(r"Bound MasterWebUI to .* started at http://\S+:(\d+)")
            self._state = f"http://{LOOPBACK}:{page}/json/"
            # Both start at once; that takes half the time of one after the other.
            self._workers += [self._started(0), self._started(1)]
            self._wait_for_workers()
        except BaseException:
            self.stop()
            raise

    def _daemon(self, name: str, main: str, *arguments: str) -> Daemon:
        self._starts += 1
        return Daemon(
            # Each start has a log of its own, so that nothing an earlier one said is read again.
            self.folder / f"{name}.{self._starts}.log",
            "256m",
            "spark-class",
            f"org.apache.spark.deploy.{main}",
            *("--host", LOOPBACK, "--port", "0"),
            *arguments,
        )

    def _started(self, number: int) -> Daemon:
        # The executors of this worker, and their Python workers, run in folders below this one.
        return self._daemon(
            f"worker-{number}",
            "worker.Worker",
            *("--webui-port", "0", "--cores", "1", "--memory", "1g"),
            *("--work-dir", str(self.worker_folder(number)), self.master),
        )

    def _wait_for_workers(self) -> None:
        wait_for(
            lambda: self.registered() == sum(worker.alive for worker in self._workers),
            "the master to know its workers",
            self._master.log,
        )

    def registered(self) -> int:
        """How many workers the master takes to be alive."""
        with urllib.request.urlopen(self._state) as answer:
            workers = json.load(answer)["workers"]
        return sum(worker["state"] == "ALIVE" for worker in workers)

    def worker_folder(self, number: int) -> Path:
        """A task that runs on this worker has a folder below this one as its working directory."""
        return self.folder / f"worker-{number}"

    def session(self, **settings: object) -> Any:
        """A SparkSession with these settings and no others of an earlier test, on both workers.

        A worker that an earlier test has killed is there again.
        """
        for number, worker in enumerate(self._workers):
            if not worker.alive:
                self.restart_worker(number)
        session = new_session(self.master, self.folder, settings)
        # The driver is listed, too. Without both, a short job would run on one worker alone.
        executors = session.sparkContext._jsc.sc().getExecutorMemoryStatus
        wait_for(lambda: executors().size() == 1 + len(self._workers), "an executor on each worker")
        return session

    def flags(self, partitions: int, split: int) -> tuple[str, ...]:
        """The flags of a command that is scored here, in so many parts and splits of that size."""
        self.session()
        conf = (
            f"spark.sql.shuffle.partitions={partitions}",
            f"spark.sql.files.maxPartitionBytes={split}",
        )
        return ("--engine", "spark", "--master", self.master, "--spark-conf", *conf)

    def kill_worker(self, number: int) -> None:
        """SIGKILL to a worker, its executors and their Python workers."""
        self._workers[number].kill()

    def restart_worker(self, number: int) -> None:
        """Starts a killed worker again, and waits until the master has it."""
        self._workers[number].kill()
        self._workers[number] = self._started(number)
        self._wait_for_workers()

    def stop(self) -> None:
        stop_session()
        for daemon in (*self._workers, self._master):
            daemon.kill()


class ConnectServer:
    """A Spark Connect server on loopback, with Spark in its own process."""

    def __init__(self, folder: Path, master: str = "local[2]") -> None:
        settings = {
            **SETTINGS,
            "spark.connect.grpc.binding.address": LOOPBACK,
            "spark.connect.grpc.binding.port": "0",
            "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.local.dir": str(folder),
        }
        self.daemon = Daemon(
            folder / "connect.log",
            # Of its driver, whatever `spark.driver.memory` says.
            "1g",
            "spark-submit",
            *("--master", master),
            *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
            *(part for key, value in settings.items() for part in ("--conf", f"{key}={value}")),
            "spark-internal",
        )
        try:
            port = self.daemon.said(r"Spark Connect server started at: \S*?:(\d+)")
        except BaseException:
            self.stop()
            raise
        self.url = f"sc://{LOOPBACK}:{port}"

    def session(self, **settings: object) -> Any:
        """A new session on the server."""
        from pyspark.sql import SparkSession

        # In one process pyspark has either sessions of its own or sessions on a server.
        stop_session()
        builder = SparkSession.builder.remote(self.url)
        for key, value in settings.items():
            builder = builder.config(key, str(value))
        return builder.create()

    def stop(self) -> None:
        # A session would look for its server for minutes before it ends without it.
        stop_session()
        self.daemon.kill()


def new_session(master: str, folder: Path, settings: Mapping[str, object]) -> Any:
    """A SparkSession of this process on a master, with settings of its own.

    The application that runs there goes on, because its executors take seconds to start, unless
    a setting is asked for that only a new one can have. One on another master is stopped: a process
    has one application at a time.
    """
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    context = SparkContext._active_spark_context
    if context is not None and context.master == master:
        session = SparkSession(context).newSession()
        if all(session.conf.isModifiable(key) for key in settings):
            for key, value in settings.items():
                session.conf.set(key, str(value))
            return session
    stop_session()
    # The JVM of this process is started without a setting: those it is started with would be the
    # defaults of every later session, too.
    SparkContext._ensure_initialized()
    given = {
        **SETTINGS,
        "spark.sql.warehouse.dir": folder / "warehouse",
        "spark.local.dir": folder,
        **settings,
    }
    builder = SparkSession.builder.master(master).appName("ragstone tests")
    for key, value in given.items():
        builder = builder.config(key, str(value))
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def stop_session() -> None:
    """Stops the session of this process, if it has one, of either kind."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    if "SPARK_CONNECT_MODE_ENABLED" in os.environ:
        session = SparkSession.getActiveSession()
        if session is not None:
            session.stop()
        # pyspark sets it for good; with it, the process could have no session of its own again.
        del os.environ["SPARK_CONNECT_MODE_ENABLED"]
    # Whoever started it: the program that is tested may have.
    context = SparkContext._active_spark_context
    if context is not None:
        SparkSession(context).stop()


def stop_jvm() -> None:
    """Stops the JVM behind the sessions of this process; it would end only with the process."""
    from pyspark import SparkContext

    gateway = SparkContext._gateway
    if gateway is None:
        return
    gateway.shutdown()
    process = gateway.proc
    process.stdin.close()
    process.wait()
    SparkContext._gateway = None
    SparkContext._jvm = None


@contextmanager
def spark_environment() -> Iterator[None]:
    """This process as a driver: what `environment` says holds, and is taken back at the end."""
    before = dict(os.environ)
    os.environ.update(environment())
    try:
        yield
    finally:
        stop_session()
        stop_jvm()
        os.environ.clear()
        os.environ.update(before)
