"""``autokb gate``: which questions are off topic, by a team's own traffic."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autokb.cli.commands import Folder, Json
from autokb.cli.manual import Commands

gate = Commands(no_args_is_help=True)


@gate.command(epilog="Example: autokb gate calibrate kb --in-domain ours.jsonl --out-of-domain others.jsonl")
def calibrate(
    workspace: Folder,
    in_domain: Annotated[
        Path, typer.Option(metavar="FILE", help="Questions that the knowledge base is for: JSONL with id and text.")
    ],
    out_of_domain: Annotated[
        Path, typer.Option(metavar="FILE", help="Messages that it is not for: small talk, other products.")
    ],
    json: Json = False,
) -> None:
    """Calibrate the gate on your own questions; builds keep it, another encoder is refused."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.plugins.lab.commands.gate_views import calibration_view

    found = SupportKB.open(workspace).evaluate.calibrate_gate(in_domain, out_of_domain)
    emit(json, found.as_json(), lambda: calibration_view(found))


@gate.command(epilog="Example: autokb gate reset kb")
def reset(workspace: Folder, json: Json = False) -> None:
    """Drop the calibration: the gate that the build fitted decides again."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.plugins.lab.commands.gate_views import reset_sentence

    done = SupportKB.open(workspace).evaluate.reset_gate()
    emit(json, done.as_json(), lambda: reset_sentence(done))
