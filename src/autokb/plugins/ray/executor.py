"""A build's pure work in the processes of Ray (the extra ``ray``): batches go out, results come back in order.

Ray is started only when this process has worked for a while, so that a small knowledge base never waits for it. Its
workers get functions and plain values; they hold no workspace, no connection and no key.
"""

from __future__ import annotations

import logging
import os
import pickle
import secrets
import shutil
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.executor import Done, attempt
from autokb.llm.keys import SECRET
from autokb.pipeline.embedding import ENCODER_THREADS

T = TypeVar("T")
R = TypeVar("R")
HOME_SECONDS = 10.0  # of work in this process before Ray is started: about what its start and its first tasks cost
SAMPLE_SECONDS = 0.2  # of each map's work that is done here: a shorter one is not worth sending
TASK_SECONDS = 0.5  # of work that a batch should be: a hundred times what sending it costs
MOST_THINGS = 64  # in a batch: what a kill -9 can cost at most, as for work in this process
AHEAD = 3  # batches in work a worker: enough that none waits, few enough that memory stays flat
RETRIES = 2  # of a batch whose worker died; then its things go out one by one
STORE_BYTES = 512 * 1024 * 1024  # of shared memory for what travels; more is written to the disk
MOST_WORKERS_UNKNOWN = 64  # batches in work where a cluster does not say how many processors it has
# Read when Ray is imported: what it says of workers would go to standard output, where a command's answer goes.
QUIET_ENVIRONMENT = {"RAY_DEDUP_LOGS_SKIP_REGEX": "."}
# The same, where it works on this machine: nothing is sent to its makers, and what listens does so on this machine
# alone, for whoever knows a token that only this process and its workers have.
START_ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # its name for: more than this machine
    "RAY_AUTH_MODE": "token",
}
# A worker is one processor's work, and sums do not hang on how many threads add.
WORKER_ENVIRONMENT = {
    ENCODER_THREADS: "1",
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"),
}
FOLDER, LOCK = "autokb-ray-", "lock"  # of what Ray writes on this machine, and in it the file that its process locks
LOST = "The process that worked on it ended unexpectedly, perhaps for lack of memory."


class LostWorkerError(AutokbError):
    """A worker died with this thing, again and again."""


@dataclass(frozen=True, slots=True)
class _Raised:
    """What a function raised, as it travels: the exception where it can, else its type's name and its sentence."""

    kind: str
    sentence: str
    error: bytes

    @classmethod
    def of(cls, error: Exception) -> _Raised:
        try:
            travels = pickle.dumps(error)
            pickle.loads(travels)
        except Exception:  # some exceptions cannot be made again from their arguments
            travels = b""
        return cls(type(error).__name__, str(error), travels)

    def as_error(self) -> Exception:
        if self.error:
            error: Exception = pickle.loads(self.error)
            return error
        kind: type[AutokbError] = type(self.kind, (AutokbError,), {})
        return kind(self.sentence)


_known: dict[str, Callable[[Any], Any]] = {}  # in a worker: the function of the map that it works for


def _work(name: str, held: Sequence[Any], things: Sequence[Any]) -> tuple[float, list[Any]]:
    """In a worker: return the seconds of the work, and what becomes of each thing.

    ``held`` is the one reference to the function, which is fetched once a worker: it may hold all of an index.
    """
    import ray

    if name not in _known:
        _known.clear()
        _known[name] = ray.get(held[0])
    started = time.perf_counter()
    done = [attempt(_known[name], thing) for thing in things]
    seconds = time.perf_counter() - started
    return seconds, [one.value if one.error is None else _Raised.of(one.error) for one in done]


def _versions() -> tuple[str, str, str]:
    """Return what must be the same here and in a worker, so that the results are."""
    return version("autokb"), version("numpy"), ".".join(map(str, sys.version_info[:2]))


class RayExecutor:
    """Does work here until there is enough of it for Ray; ``address`` is ``ray://HOST:PORT``, empty for this machine.

    ``workers`` are the processes on this machine, by default one a processor.
    """

    def __init__(
        self,
        address: str = "",
        workers: int | None = None,
        home_seconds: float = HOME_SECONDS,
        sample_seconds: float = SAMPLE_SECONDS,
    ) -> None:
        self._address = address
        self._workers = workers or os.cpu_count() or 1
        self._home_seconds = home_seconds
        self._sample_seconds = sample_seconds
        self._worked = 0.0
        self._task: Any = None  # Ray's remote function, once it is started
        self._owns_ray = False
        self._folder: tuple[Path, FileLock] | None = None
        if not address:
            _remove_left()

    def map(self, function: Callable[[T], R], things: Iterable[T]) -> Iterator[Done[R]]:
        """Yield what becomes of each thing, in their order; see ``Executor``."""
        waiting = iter(things)
        here, count = 0.0, 0
        while here < self._sample_seconds or self._worked < self._home_seconds:
            for thing in waiting:
                started = time.perf_counter()
                done = attempt(function, thing)
                seconds = time.perf_counter() - started
                here, count, self._worked = here + seconds, count + 1, self._worked + seconds
                yield done
                break
            else:
                return
        first = list(islice(waiting, 2))
        if len(first) < 2:  # nothing is gained by sending one
            yield from (attempt(function, thing) for thing in first)
            return
        yield from self._map_there(function, chain(first, waiting), here / count if count else TASK_SECONDS)

    def _map_there(self, function: Callable[[T], R], things: Iterator[T], seconds: float) -> Iterator[Done[R]]:
        """Send things in batches; ``seconds`` is what one takes, as far as is known."""
        self._start()  # before Ray is imported, which reads its environment then

        import ray

        # One that no other map has: workers are shared by executors, on a cluster by those of several machines.
        name, held = secrets.token_hex(16), [ray.put(function)]
        sent: deque[tuple[Any, list[T]]] = deque()
        try:
            while True:
                while len(sent) < self._workers * AHEAD:
                    size = max(1, min(MOST_THINGS, int(TASK_SECONDS / max(seconds, 1e-6))))
                    if not (batch := list(islice(things, size))):
                        break
                    sent.append((self._task.remote(name, held, batch), batch))
                if not sent:
                    return
                ref, batch = sent[0]
                took, values = self._fetch(ref, name, held, batch)
                sent.popleft()
                seconds = took / len(batch) or seconds
                for value in values:
                    yield Done(None, value.as_error()) if isinstance(value, _Raised) else Done(value)
        finally:
            for ref, _ in sent:  # nobody takes their results any more
                with suppress(Exception):
                    ray.cancel(ref)

    def _fetch(self, ref: Any, name: str, held: Sequence[Any], batch: Sequence[Any]) -> tuple[float, list[Any]]:
        """Return what came of a batch; where its worker died again and again each thing is tried by itself."""
        import ray.exceptions as failed

        try:
            found: tuple[float, list[Any]] = self._get(ref)
            return found
        except (failed.WorkerCrashedError, failed.OutOfMemoryError, failed.NodeDiedError):
            if len(batch) == 1:
                return 0.0, [_Raised.of(LostWorkerError(LOST))]
        values: list[Any] = []
        for thing in batch:
            values += self._fetch(self._task.remote(name, held, [thing]), name, held, [thing])[1]
        return 0.0, values

    def _get(self, ref: Any) -> Any:
        import ray
        import ray.exceptions as failed

        try:
            return ray.get(ref)
        except (failed.WorkerCrashedError, failed.OutOfMemoryError, failed.NodeDiedError):
            raise
        except (failed.RayError, ConnectionError) as error:
            first = str(error).strip().split("\n")[0]
            raise AutokbError(f"Ray could not go on ({first}); run the command again, it goes on from here.") from error

    def _start(self) -> None:
        """Start Ray on this machine, or connect to the cluster, once."""
        if self._task is not None:
            return
        # Workers on this machine have the environment that Ray is started in: without anybody's secrets.
        blank = {name: "" for name in os.environ if SECRET.search(name)}
        here = {**blank, **WORKER_ENVIRONMENT, **START_ENVIRONMENT, "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        with _environment({**QUIET_ENVIRONMENT, **({} if self._address else here)}):
            import ray

            if not ray.is_initialized():
                self._owns_ray = True
                self._init()
        if self._address:
            self._check_versions()
            resources: Mapping[str, float] = ray.cluster_resources()
            processors = resources.get("CPU")
            self._workers = int(processors) if processors else MOST_WORKERS_UNKNOWN
        self._task = ray.remote(num_cpus=1, max_retries=RETRIES)(_work)

    def _init(self) -> None:
        import ray

        if self._address:
            try:
                ray.init(self._address, runtime_env={"env_vars": WORKER_ENVIRONMENT}, log_to_driver=False)
            except (ConnectionError, RuntimeError, ValueError) as error:
                first = str(error).strip().split("\n")[0]
                raise BadInputError(
                    f"No Ray answers at {self._address} ({first}); see that it is started and of the same version."
                ) from error
            return
        self._folder = folder, _ = _folder_of_ones_own()
        ray.init(
            address="local",
            num_cpus=self._workers,
            include_dashboard=False,
            log_to_driver=False,
            logging_level=logging.ERROR,
            object_store_memory=STORE_BYTES,
            _temp_dir=str(folder),
            _system_config={"task_oom_retries": RETRIES},
        )

    def _check_versions(self) -> None:
        """Refuse workers that would work otherwise: the result has to be that of this machine."""
        import ray

        try:
            there = ray.get(ray.remote(num_cpus=1)(_versions).remote())
        except Exception as error:
            first = str(error).strip().split("\n")[-1]
            raise BadInputError(
                f"The workers at {self._address} cannot run autokb ({first}); install it there."
            ) from error
        if there != _versions():
            said = " and ".join(f"autokb {a} with numpy {n} on Python {p}" for a, n, p in (there, _versions()))
            raise BadInputError(f"The workers at {self._address} and this machine differ: {said}; install the same.")

    def close(self) -> None:
        """End what was started."""
        if self._owns_ray:
            import ray

            ray.shutdown()
            self._owns_ray, self._task = False, None
        if self._folder:
            folder, lock = self._folder
            lock.release()
            shutil.rmtree(folder, ignore_errors=True)
            self._folder = None


def _remove_left() -> None:
    """Remove the folders of builds that were killed, whose locks the system has freed."""
    for lock in Path(tempfile.gettempdir()).glob(f"{FOLDER}*/{LOCK}"):
        with suppress(Timeout, OSError), FileLock(lock, timeout=0):
            shutil.rmtree(lock.parent, ignore_errors=True)


def _folder_of_ones_own() -> tuple[Path, FileLock]:
    """Make a folder and hold its lock."""
    folder = Path(tempfile.mkdtemp(prefix=FOLDER))
    lock = FileLock(folder / "new")
    lock.acquire()
    (folder / "new").rename(folder / LOCK)  # with its lock: nobody finds it without
    return folder, lock


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for the length of a block."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
