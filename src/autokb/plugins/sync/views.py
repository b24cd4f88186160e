"""What people see of ``sync``: a line for each source, and what of it was not taken."""

from __future__ import annotations

from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from autokb.app.synced import Synced, SyncedSource
from autokb.cli.views import next_line, quoted, several, skipped_lines
from autokb.pipeline.build_report import BuildReport


def synced_view(workspace: Path, done: Synced) -> RenderableType:
    """Show what a run did, and that a build publishes it; its errors go to standard error."""
    lines: list[RenderableType] = []
    for name, one in done.sources.items():
        lines += [Text(counts_line(name, one)), *skipped_lines(one.skipped)]
        if one.kept and one.error is None:
            command = f"autokb sync {quoted(workspace)} --source {name} --accept"
            lines.append(next_line(f"{several(one.kept, 'page')} kept as before. To take what is there now: {command}"))
    if done.build is not None:
        lines.append(Text(build_line(done.build)))
    elif any(one.changed for one in done.sources.values()):
        lines.append(next_line(f"Next: autokb build {quoted(workspace)}"))
    return Group(*lines)


def build_line(built: BuildReport) -> str:
    """Return one line about the build after a run: what readers see, or that they see what they saw, and why."""
    if built.refusal is None:
        return f"built: {built.solutions} solutions"
    return f"built, and not published: {' '.join(built.refusal.reasons)} It waits as the candidate."


def run_line(name: str, one: SyncedSource) -> str:
    """Return one line about one run of a source, with why it ended early."""
    return counts_line(name, one) + " ".join(f"; {one.error}".split() if one.error else ())


def counts_line(name: str, one: SyncedSource) -> str:
    """Return one line about what one run of a source did."""
    counts = f"{one.added} added, {one.updated} updated, {one.unchanged} unchanged, {one.removed} removed"
    skipped = f", {len(one.skipped)} skipped" if one.skipped else ""
    return " ".join(f"{name}: {counts}{skipped}; {one.requests:,} requests, {one.bytes:,} bytes".split())
