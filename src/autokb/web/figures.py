"""What Prometheus is told of the service; no label is a text that a client chose."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from autokb.core.plugins import plugins

SHARED = (
    "PROMETHEUS_MULTIPROC_DIR"  # where the processes of one service keep their counts, as prometheus-client reads it
)

METHODS = frozenset({"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"})
OTHER = "other"
# Seconds; without a model a suggestion takes some milliseconds, with one some seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class ServiceFigures:
    """The counts of one process, or of all processes of a service where a folder for them is named."""

    def __init__(self) -> None:
        if SHARED in os.environ:
            _forget_dead(Path(os.environ[SHARED]))
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "autokb_requests",
            "Requests by method, path and status.",
            ("method", "path", "status"),
            registry=self.registry,
        )
        self.seconds = Histogram(
            "autokb_request_seconds", "How long requests took.", ("path",), buckets=BUCKETS, registry=self.registry
        )
        self.under_way = Gauge(
            "autokb_requests_under_way",
            "Requests that are not answered yet.",
            registry=self.registry,
            multiprocess_mode="livesum",
        )
        self.outcomes = Counter(
            "autokb_outcomes", "Answers and suggestions by their outcome.", ("path", "outcome"), registry=self.registry
        )
        self.counters = {
            one.name: Counter(one.name, one.help, one.labels, registry=self.registry)
            for plugin in plugins()
            for one in plugin.counters
        }

    def note(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request; ``method`` is a known one, ``path`` the pattern of a path, never what stood in it."""
        self.requests.labels(method, path, str(status)).inc()
        self.seconds.labels(path).observe(seconds)

    def text(self) -> bytes:
        """Return the exposition format of Prometheus."""
        if SHARED not in os.environ:
            return generate_latest(self.registry)
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)


def _forget_dead(folder: Path) -> None:
    """Forget what was under way in processes that were killed; what they counted stays."""
    for process in {int(file.stem.rpartition("_")[2]) for file in folder.glob("gauge_live*_*.db")}:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            with suppress(FileNotFoundError):  # another worker was faster
                mark_process_dead(process)  # type: ignore[no-untyped-call]
        except PermissionError:
            pass  # somebody else's, so the number was given again
