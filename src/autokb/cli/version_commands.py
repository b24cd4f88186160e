"""``autokb versions``, ``diff``, ``rollback``, ``publish``, ``discard``, ``vacuum``: what readers saw, see, may see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Folder, Json, app

if TYPE_CHECKING:
    from autokb.stores.version_events import VersionEvent
    from autokb.views.versions import VersionChecks, Versions

Number = Annotated[int, typer.Argument(metavar="N", min=1, help="The number of a version.")]
Author = Annotated[str, typer.Option(metavar="A", help="Who does it; kept with the versions.")]
Shows = Annotated[str, typer.Argument(metavar="N|candidate", help="The number of a version, or: candidate.")]


@app.command(epilog="Example: autokb versions kb")
def versions(workspace: Folder, json: Json = False) -> None:
    """List what readers saw since the oldest version that is kept; keep_versions in settings.yaml says how many are."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    found = SupportKB.open(workspace).versions.list()
    emit(json, found.as_json(), lambda: _versions_text(found))


def _versions_text(found: Versions) -> str:
    from autokb.cli.output import one_line

    if not found.versions:
        return "Nothing is published yet."
    lines = []
    for one in found.versions:
        mark = "<- readers see it" if one.published else "candidate" if one.is_candidate else ""
        counts = f"{one.documents} documents, {one.issues} issues, {one.solutions} solutions"
        checked = _checked(one.checks) if one.checks else ""
        against = "published against the gate" if one.checks and one.checks.forced else ""
        less = f"less than half of what was, let through by {one_line(one.forced.by)}" if one.forced else ""
        said = "  ".join(filter(None, (one_line(one.date), one_line(one.by), counts, checked, against, less, mark)))
        lines.append(f"{one.number:>4}  {said}")
    return "\n".join([*lines, *map(_event_line, found.events)])


def _event_line(event: VersionEvent) -> str:
    from autokb.cli.output import one_line

    did = {
        "rolled back": f"showed readers version {event.number} again, in place of version {event.before}",
        "discarded": f"discarded the candidate for version {event.number}",
    }[event.what]
    return f"      {one_line(event.date)}  {one_line(event.by) or 'somebody'} {did}"


def _checked(found: VersionChecks) -> str:
    trees = "" if found.trees is None else f", trees fit {found.trees:.2f}"
    return f"of {found.n} checks first right {found.first:.2f}, outcome {found.outcome:.2f}{trees}"


@app.command(epilog="Example: autokb diff kb 3 4  and  autokb diff kb 4 candidate")
def diff(workspace: Folder, before: Shows, after: Shows, json: Json = False) -> None:
    """Say what readers see differently in one version than in another."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.cli.review_views import changes_text

    found = SupportKB.open(workspace).versions.diff(before, after)
    emit(json, found.as_json(), lambda: changes_text(f"From {before} to {after} this changes for readers:", found))


@app.command(epilog="Example: autokb rollback kb 3 --author ann")
def rollback(workspace: Folder, number: Number, author: Author = "", json: Json = False) -> None:
    """Let readers see an earlier version at once; what people decided stays.

    The next build starts from what is added then, and takes its place.
    """
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    done = SupportKB.open(workspace).versions.roll_back(number, author=author)
    emit(json, done.as_json(), lambda: f"Readers see version {done.number} now.")


@app.command(epilog="Example: autokb publish kb  after  autokb build kb --candidate")
def publish(
    workspace: Folder,
    author: Author = "",
    force: Annotated[
        bool, typer.Option("--force", help="Also what the gate refuses, or half as much as before; goes on record.")
    ] = False,
    json: Json = False,
) -> int:
    """Let readers see the candidate, if it passes the gate of settings.yaml and has half of what they see now."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.cli.views import refusal_lines

    done = SupportKB.open(workspace).versions.publish(author=author, force=force)
    said = refusal_lines(done.refusal) if done.refusal else [f"Readers see version {done.number} now."]
    emit(json, done.as_json(), lambda: "\n".join(said))
    return 0 if done.published else 1


@app.command(epilog="Example: autokb discard kb")
def discard(workspace: Folder, author: Author = "", json: Json = False) -> None:
    """Delete the candidate; paid replies are kept for the next build."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    done = SupportKB.open(workspace).versions.discard(author=author)
    emit(json, done.as_json(), lambda: "The candidate is deleted. Readers still see the current version.")


@app.command(epilog="Example: autokb vacuum kb")
def vacuum(
    workspace: Folder,
    forget_work: Annotated[
        bool,
        typer.Option("--forget-work", help="Also what builds worked out without a model; the next works it out anew."),
    ] = False,
    json: Json = False,
) -> None:
    """Write the file anew: what was deleted, and what only forgotten versions had, lies in it until then."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    done = SupportKB.open(workspace).versions.vacuum(forget_work=forget_work)
    before, after = (size / 2**20 for size in (done.bytes_before, done.bytes_after))
    emit(json, done.as_json(), lambda: f"The file has {after:.1f} MiB; it had {before:.1f}.")
