"""``autokb chunk``: files and folders become chunks, shown as they are chunked."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Any

import typer

from autokb.chunking.methods import METHODS
from autokb.cli.commands import IdField, Json, Ledger, MaxSize, Mode, Model, SettingsFile, TextField, TitleField, app

Result = Any  # of app.chunk, which is imported where it is used: it loads the chunkers


@app.command(epilog="Example: autokb chunk manuals/  and  autokb chunk page.html --method recursive --json")
def chunk(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files and folders.")],
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"{', '.join(METHODS)}; recursive chooses one of its three forms by the kind of a document.",
        ),
    ] = "auto_chunker",
    max_size: MaxSize = 2048,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the chunks as Markdown; with --json add each document's Markdown.")
    ] = False,
    model: Model = "",
    mode: Mode = "economical",
    rules_first: Annotated[
        bool, typer.Option("--rules-first", help="Ask a model only about what the rules are unsure of.")
    ] = False,
    budget: Annotated[float | None, typer.Option(min=0.0, metavar="USD", help="Never spend more.")] = None,
    ledger: Ledger = None,
    jobs: Annotated[int, typer.Option(metavar="N", min=1, max=64, help="Processes that read and cut.")] = 1,
    settings: SettingsFile = None,
    text_field: TextField = None,
    title_field: TitleField = None,
    id_field: IdField = None,
    json: Json = False,
) -> int:
    """Cut documents into clean chunks, and show what was dropped and why."""
    from autokb.app import SupportKB
    from autokb.cli.output import say, stage_bars
    from autokb.pipeline.chunk_files import ChunkRequest, answered_by
    from autokb.pipeline.model_choice import OFFLINE
    from autokb.sources import Fields

    started = time.perf_counter()
    fields = Fields(text_field or None, title_field or None, id_field or None)
    request = ChunkRequest(
        method=method,
        max_size=max_size,
        model=model,
        mode=mode,
        rules_first=rules_first,
        ledger=ledger,
        jobs=jobs,
        settings=settings,
        fields=fields,
    )
    with stage_bars() as progress:
        results = SupportKB.chunk(paths, request, budget=budget, progress=progress)
        answered = answered_by(request)
        if answered not in ("", OFFLINE) and ledger is None:
            say(["The model's replies are kept for this call only; with --ledger FILE they are paid for once."])
        if answered == OFFLINE and method != "auto_chunker":
            say([f"{method} is answered offline, by headings and words that are shared; --model NAME asks a model."])
        if json:
            return _as_json(results, started, markdown)
        first = list(islice(results, 1))  # the bars end here: they and the view would write over each other
    return _for_people(chain(first, results), markdown)


def _as_json(results: Iterable[Result], started: float, markdown: bool) -> int:
    """Write one object; until it is whole it grows on the disk, so that memory holds one document at a time.

    A run that stopped on purpose gives what was chunked until then, and ``stopped`` says why.
    """
    from autokb.cli.output import copy_json, json_line, say
    from autokb.core.errors import StoppedOnPurposeError
    from autokb.pipeline.chunk_files import ChunkedDocument

    failures: list[dict[str, str]] = []
    count, rest, status = 0, {}, 0
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace", newline="", prefix="autokb-chunks-") as file:
        file.write('{"documents": [')
        try:
            for result in results:
                if isinstance(result, ChunkedDocument):
                    file.write((", " if count else "") + json_line(result.as_json(markdown=markdown)))
                    count += 1
                else:
                    failures.append({"path": result.path, "reason": result.reason})
        except StoppedOnPurposeError as stop:
            say([str(stop)])
            rest, status = {"stopped": str(stop)}, stop.exit_status
        last = {"failures": failures, **rest, "seconds": round(time.perf_counter() - started, 3)}
        file.write(f"], {json_line(last)[1:]}\n")
        file.seek(0)
        copy_json(file)
    return status


def _for_people(results: Iterable[Result], markdown: bool) -> int:
    from autokb.cli.chunk_views import chunked_view, markdown_of, skipped_view
    from autokb.cli.output import make_console, say, write_markdown
    from autokb.pipeline.chunk_files import ChunkedDocument

    console, messages = make_console(), make_console(stderr=True)
    chunked = skipped = 0
    for result in results:
        if not isinstance(result, ChunkedDocument):
            skipped += 1
            messages.print(skipped_view(result))
            continue
        chunked += 1
        if markdown:
            write_markdown(markdown_of(result))
        else:
            console.print(chunked_view(result, console.width))
    if not chunked and not skipped:
        say(["There is no file in what was given."])
    return 0
