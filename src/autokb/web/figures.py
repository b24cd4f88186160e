"""What Prometheus is told of the service; no label is a text that a client chose."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

METHODS = frozenset({"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"})
OTHER = "other"
# Seconds; without a model a suggestion takes some milliseconds, with one some seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Figures:
    """The counts of one process."""

    def __init__(self) -> None:
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
            "autokb_requests_under_way", "Requests that are not answered yet.", registry=self.registry
        )
        self.outcomes = Counter(
            "autokb_outcomes", "Answers and suggestions by their outcome.", ("path", "outcome"), registry=self.registry
        )

    def note(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request; ``method`` is a known one, ``path`` the pattern of a path, never what stood in it."""
        self.requests.labels(method, path, str(status)).inc()
        self.seconds.labels(path).observe(seconds)

    def text(self) -> bytes:
        """Return the exposition format of Prometheus."""
        return generate_latest(self.registry)
