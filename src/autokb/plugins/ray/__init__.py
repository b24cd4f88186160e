"""A build's pure work in the processes of Ray, on this machine or a cluster."""

from autokb.plugin import Plugin

EXECUTOR = "autokb.plugins.ray.executor:RayExecutor"
plugin = Plugin(
    "ray",
    summary="A build's own work in the processes of Ray.",
    executors={"ray": EXECUTOR, "ray://HOST:PORT": EXECUTOR},
    extra="ray",
    built_in=True,
)
