"""``autokb trial``: what a model would bring and cost for one's own data, tried on a sample."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autokb.cli.commands import Folder, Json, Model


def trial(
    workspace: Folder,
    model: Model = "",
    budget: Annotated[
        float, typer.Option(metavar="USD", min=0, help="Never spend more, all runs of the trial together.")
    ] = 1.0,
    themes: Annotated[int, typer.Option(min=1, help="How many of the largest themes the sample has.")] = 10,
    questions: Annotated[int, typer.Option(min=1, help="How many past questions are asked at most.")] = 30,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the trial lies; WORKSPACE/trial without it.")
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Read a filled sheet instead; its key lies beside it.")
    ] = None,
    json: Json = False,
) -> int:
    """Build a sample offline and by a model, ask both past questions, and say what the whole would cost."""
    from autokb.app import SupportKB
    from autokb.cli import STOPPED
    from autokb.cli.output import emit, stage_bars
    from autokb.plugins.lab.commands.trial_views import marks_view, trial_view

    kb = SupportKB.open(workspace, model=model)
    if sheet is not None:
        marks = kb.evaluate.read_trial_sheet(sheet)
        emit(json, marks.as_json(), lambda: marks_view(marks))
        return 0
    with stage_bars() as progress:
        report = kb.evaluate.trial(budget, themes=themes, questions=questions, out=out, progress=progress)
    emit(json, report.as_json(), lambda: trial_view(workspace, report))
    return STOPPED if report.stopped else 0
