"""``autokb doctor``: what an issue about autokb should say, without anything private."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Folder, Json, app

if TYPE_CHECKING:
    from collections.abc import Mapping

    from autokb.app.doctor import Doctor, ModelHealth
    from autokb.stores.store import StoreHealth


@app.command(epilog="Example: autokb doctor kb  and, to try the model's key for free,  autokb doctor kb --online")
def doctor(
    workspace: Folder,
    online: Annotated[
        bool, typer.Option("--online", help="Also ask the models' providers for their list of models, at no cost.")
    ] = False,
    json: Json = False,
) -> int:
    """Check a workspace for what is wrong or slow; the output can be pasted into an issue.

    It holds no keys, no addresses and no names of people or machines, and of paths only what lies in the workspace.
    """
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    found = SupportKB.doctor(workspace, online=online)
    emit(json, found.as_json(), lambda: doctor_text(found))
    return found.exit_status


def doctor_text(found: Doctor) -> str:
    """Show what was found, a line each."""
    timed = [f"{one.what}: {_time(one.seconds)} (usual {_time(one.usual)})" for one in found.speed]
    lines = {
        "versions": _pairs(found.versions),
        "extras": ", ".join(name for name, there in found.extras.items() if there),
        "encoder": found.encoder,
        "store": _store(found.store),
        "published": _pairs(found.published),
        "keys": _pairs(found.keys),
        "disk": ", ".join(f"{count / 2**30:.1f} GiB free for {name}" for name, count in found.free_bytes.items()),
        "settings": ", ".join(found.settings),
        "environment": ", ".join(found.environment),
        "models": "; ".join(map(_model, found.models)),
        "speed": "; ".join(timed),
    }
    nothing = NOTHING | dict.fromkeys(found.not_read, "not read")
    said = [*lines.items(), *(("note", one) for one in found.notes), *(("problem", one) for one in found.problems)]
    said += [("hint", found.hint)] if found.hint else []
    return "\n".join(f"{name:<12} {' '.join(text.split()) or nothing.get(name, 'none')}" for name, text in said)


NOTHING = {"settings": "defaults", "models": "offline", "speed": "not timed"}


def _pairs(named: Mapping[str, str | int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in named.items())


def _store(store: StoreHealth | None) -> str:
    if store is None:
        return ""
    intact = {True: "intact", False: "damaged", None: "not checked, which is the server's part"}[store.intact]
    vector = f", pgvector {store.pgvector}" if store.pgvector else ""
    return (
        f"{store.kind} {store.version}{vector}, tables of version {store.schema} by autokb {store.written_by}, "
        f"{store.bytes / 2**20:.1f} MiB, {intact}, {'writable' if store.writable else 'not writable'}, "
        f"{store.busy or 'free'}"
    )


def _model(one: ModelHealth) -> str:
    return f"{one.model}, {one.key} is {'set' if one.has_key else 'not set'}, {one.answer}"


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.1f} ms"
