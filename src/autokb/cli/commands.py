"""The commands; everything heavy is imported inside the one that needs it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autokb import __version__
from autokb.cli.manual import Commands, Contents, one_of

if TYPE_CHECKING:
    from autokb.app.add import Kind
    from autokb.app.create import Created

app = Commands(
    name="autokb",
    cls=Contents,
    epilog="Example: autokb demo  and, for the help of one command,  autokb ask --help",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Folder = Annotated[Path, typer.Argument(metavar="WORKSPACE", help="The workspace's folder.")]
Mode = Annotated[
    str,
    typer.Option(
        help="economical or paper: how a model is asked; offline they are the same.",
        autocompletion=one_of("economical", "paper"),
    ),
]
KINDS = ("documents", "issues", "tickets", "chats")
Model = Annotated[
    str, typer.Option(metavar="MODEL", help="Instead of the settings' model: offline, openai:NAME, anthropic:NAME, ...")
]
Candidate = Annotated[bool, typer.Option("--candidate", help="Use the candidate instead of the published version.")]
BuildBudget = Annotated[
    float | None, typer.Option(metavar="USD", min=0, help="Never spend more; the build stops and can go on.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else.")]


def _print_version(wanted: bool) -> None:
    from autokb.cli.output import emit

    if wanted:
        emit(False, None, lambda: f"autokb {__version__}")
        raise typer.Exit


@app.callback()
def _options_of_all_commands(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and end.")
    ] = False,
) -> None:
    """Raw customer issues and manuals become a knowledge base that answers with its source."""


def _domains(incomplete: str) -> list[str]:
    from autokb.domains import names

    return one_of(*names())(incomplete)


@app.command(epilog="Example: autokb init kb --domain headphones --examples")
def init(
    workspace: Folder,
    domain: Annotated[
        str,
        typer.Option(help="headphones, medical, thunderbird, or a domain.yaml of your own.", autocompletion=_domains),
    ] = "",
    examples: Annotated[
        bool, typer.Option("--examples", help="Also add the domain's own documents and issues.")
    ] = False,
    json: Json = False,
) -> None:
    """Make a workspace."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    created = SupportKB.create(workspace, domain, examples=examples).created
    assert created is not None
    emit(json, created.as_json(), lambda: _created(workspace, created, domain))


def _created(workspace: Path, created: Created, domain: str) -> str:
    from autokb.cli.views import quoted

    if created.documents:
        counts = f"{created.documents} documents and {created.issues} issues"
        return f"Created {workspace} with {counts}.\nNext: autokb build {quoted(workspace)}"
    to_do = "" if domain else f" Describe in {workspace / 'domain.yaml'} what the right answer depends on."
    return f"Created {workspace}.{to_do}\nNext: autokb add {quoted(workspace)} FOLDER_OF_MANUALS"


MaxSize = Annotated[int, typer.Option(metavar="N", min=1, help="Characters of a chunk at most.")]
Ledger = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Keep there what a model was paid for; made on first use.")
]
SettingsFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Models and prices as in a workspace's settings.yaml.")
]
TextField = Annotated[str | None, typer.Option(help="Where a record's text is: body, or a path such as a.b[].c.")]
TitleField = Annotated[str | None, typer.Option(help="Where its title is.")]
IdField = Annotated[str | None, typer.Option(help="Where its id is.")]


@app.command(epilog="Example: autokb add kb manuals/  and  autokb add kb issues.csv --as issues --text-field message")
def add(
    workspace: Folder,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files and folders.")],
    kind: Annotated[
        str, typer.Option("--as", help="documents, issues, tickets or chats.", autocompletion=one_of(*KINDS))
    ] = "documents",
    sync: Annotated[bool, typer.Option("--sync", help="Also remove what the folder no longer has.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Let --sync empty a folder that holds no file any more.")] = False,
    update: Annotated[bool, typer.Option("--update", help="Replace issues whose ids another file gave.")] = False,
    follow_links: Annotated[
        bool, typer.Option("--follow-links", help="Also read what links out of an added folder lead to.")
    ] = False,
    text_field: TextField = None,
    title_field: TitleField = None,
    id_field: IdField = None,
    date_field: Annotated[str | None, typer.Option(help="Where its date is.")] = None,
    resolved_by_field: Annotated[
        str | None,
        typer.Option(help="Where the documents that resolved it are named: ids, file names, URLs or titles."),
    ] = None,
    agents: Annotated[
        str | None,
        typer.Option(metavar="NAME,NAME", help="Of chats: authors who are agents; all others are customers."),
    ] = None,
    json: Json = False,
) -> int:
    """Add documents, raw issues, past tickets or conversations; adding again updates."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit, say, spinner
    from autokb.cli.views import added_view
    from autokb.core.errors import BadInputError
    from autokb.sources import Fields

    known: dict[str, Kind] = {"documents": "documents", "issues": "issues", "tickets": "tickets", "chats": "chats"}
    if kind not in known:
        raise BadInputError(f"--as takes documents, issues, tickets or chats, not {kind!r}.")
    named = (text_field, title_field, id_field, date_field, resolved_by_field, agents)
    fields = Fields(*(name or None for name in named))
    kb = SupportKB.open(workspace)
    with spinner(f"Reading {kind}") as progress:
        done = kb.add(
            paths,
            known[kind],
            fields,
            sync=sync,
            update=update,
            yes=yes,
            follow_links=follow_links,
            progress=progress,
        )
    emit(json, done.as_json(), lambda: added_view(workspace, kind, done))
    if done.took_nothing and not (sync and yes):
        what = "fix the skipped files" if done.skipped else f"see that {', '.join(map(str, paths))} holds {kind}"
        say([f"Nothing was added; {what}, and run the command again."])
        return 2
    return 0


@app.command(epilog="Example: autokb sources kb  and, of a moved folder, autokb sources kb move manuals docs/manuals")
def sources(
    workspace: Folder,
    move: Annotated[
        list[str] | None, typer.Argument(metavar="[move OLD NEW]", help="A source that lies somewhere else now.")
    ] = None,
    losses: Annotated[bool, typer.Option("--losses", help="Also list what was not read of them, and why.")] = False,
    json: Json = False,
) -> None:
    """List what was added or imported: folders, files and imports, with their counts.

    What was moved is the same source: nothing is read or built again, and a later add finds it at its new place.
    """
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.cli.views import sources_view
    from autokb.core.errors import BadInputError

    kb = SupportKB.open(workspace)
    if move and (len(move) != 3 or move[0] != "move"):
        raise BadInputError("After the workspace comes nothing, or: move OLD NEW.")
    listed = kb.move_source(*move[1:]) if move else kb.sources(losses=losses)
    emit(json, listed.as_json(), lambda: sources_view(workspace, listed))


@app.command(
    epilog="Example: autokb remove kb manuals/  and  autokb remove kb manuals/pairing.md 4711  and, for an id that "
    "begins with a dash,  autokb remove kb -- -7"
)
def remove(
    workspace: Folder,
    names: Annotated[
        list[str],
        typer.Argument(metavar="ID|PATH...", help="Ids of documents and raw issues, or paths as autokb sources lists."),
    ],
    json: Json = False,
) -> None:
    """Take sources, documents or issues out of the next build."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.cli.views import removed_view

    done = SupportKB.open(workspace).remove(names)
    emit(json, done.as_json(), lambda: removed_view(workspace, done))


@app.command(epilog="Example: autokb plan kb --model openai:gpt-5-mini")
def plan(workspace: Folder, model: Model = "", mode: Mode = "economical", json: Json = False) -> None:
    """Say what a build would cost before it is started."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit, stage_bars
    from autokb.cli.views import plan_view

    kb = SupportKB.open(workspace, model=model, mode=mode)
    with stage_bars() as progress:
        planned = kb.plan(progress=progress)
    emit(json, planned.as_json(), lambda: plan_view(planned))


@app.command(epilog="Example: autokb build kb  and  autokb build kb --model openai:gpt-5-mini --budget 2.50")
def build(
    workspace: Folder,
    model: Model = "",
    mode: Mode = "economical",
    budget: BuildBudget = None,
    batch: Annotated[bool, typer.Option("--batch", help="Ask through the provider's batch interface.")] = False,
    batch_files: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write the requests as files there, and read the replies from there."),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="With --batch or --batch-files: wait for the replies and go on by itself.")
    ] = False,
    rethink: Annotated[bool, typer.Option("--rethink", help="Make themes and clusters afresh.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Build even if rules of the published domain.yaml have been removed.")
    ] = False,
    candidate: Annotated[
        bool, typer.Option("--candidate", help="Build beside what readers see; publish or discard decides.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Publish what the gate refuses, or half as much as before; goes on record.")
    ] = False,
    author: Annotated[str, typer.Option(metavar="A", help="Who forces it.")] = "",
    json: Json = False,
) -> int:
    """Build the knowledge base; a build that was killed goes on where it stopped.

    Where settings.yaml has a gate, a build that does worse in the team's checks stays a candidate, and so does one with
    less than half of what readers see. A build whose model fails for more than a few items publishes nothing.
    """
    from autokb.app import SupportKB
    from autokb.cli.output import emit, say, stage_bars
    from autokb.cli.views import build_view
    from autokb.pipeline.versions import name_forcer

    forced_by = name_forcer(author) if force else ""
    kb = SupportKB.open(workspace, model=model, mode=mode)
    with stage_bars() as progress:
        built = kb.build(
            rethink=rethink,
            budget=budget,
            batch=batch,
            batch_files=batch_files,
            wait=wait,
            yes=yes,
            candidate=candidate,
            force=forced_by,
            progress=progress,
            notify=say,
        )
    say(built.batch.said if built.batch else ())
    emit(json, built.as_json(), lambda: build_view(workspace, built, candidate=candidate))
    return 1 if built.refusal else 0


@app.command(epilog="Example: autokb show kb  and  autokb show kb issue-1234...")
def show(
    workspace: Folder,
    issue: Annotated[
        str | None, typer.Argument(metavar="[ISSUE]", help="The id of an issue, or its first letters.")
    ] = None,
    most: Annotated[
        int | None, typer.Option(min=1, help="Show at most so many trees, those most customers told.")
    ] = None,
    candidate: Candidate = False,
    json: Json = False,
) -> None:
    """Show the tree, or one issue with its solutions, evidence and attributes."""
    from autokb.app import SupportKB
    from autokb.cli.issue_views import issue_view, tree_view
    from autokb.cli.output import emit

    kb = SupportKB.open(workspace, shows="candidate" if candidate else "")
    if issue is None:
        shown = kb.views.show(most=most)
        emit(json, shown.as_json(), lambda: tree_view(workspace, shown))
    else:
        one = kb.views.show_issue(issue)
        emit(json, one.as_json(), lambda: issue_view(one))


@app.command(epilog='Example: autokb ask kb "my earbuds do not pair with my iPhone" --attribute os=iOS')
def ask(
    workspace: Folder,
    text: Annotated[str, typer.Argument(help="The customer's question.")],
    attribute: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Overrides what is read from the text; may be repeated."),
    ] = None,
    k: Annotated[int, typer.Option("--k", min=1, help="How many matches and documents at most.")] = 5,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say why: the best candidates, what counted for each, and their issues.")
    ] = False,
    model: Annotated[str, typer.Option(metavar="PROVIDER:NAME", help="Have a model choose among what is found.")] = "",
    style: Annotated[
        str,
        typer.Option(metavar="steps|reply", help="Steps as they stand, or a reply that the model writes from them."),
    ] = "",
    candidate: Candidate = False,
    json: Json = False,
) -> None:
    """Ask a question: an answer with its sources, a question back, or that it does not know."""
    from autokb.app import SupportKB
    from autokb.cli.issue_views import answer_view
    from autokb.cli.output import emit
    from autokb.retrieval.read_question import read_pairs

    with closing(SupportKB.open(workspace, shows="candidate" if candidate else "")) as kb:
        answer = kb.ask(text, read_pairs(attribute or []), k, model=model, explain=explain, style=style)
    emit(json, answer.as_json(), lambda: answer_view(workspace, answer))


@app.command(epilog='Example: autokb suggest kb --chat chat.jsonl   or   autokb suggest kb "the left bud is silent"')
def suggest(
    workspace: Folder,
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT]", help="The customer's last message, where the chat has it not.")
    ] = None,
    chat: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The conversation so far: JSON, JSONL or CSV.")
    ] = None,
    strategy: Annotated[
        str,
        typer.Option(
            metavar="plain|react|chain_of_thought|chain_of_verification|query_rewriting",
            help="How a model is asked; without one, all are the knowledge base's own words.",
        ),
    ] = "plain",
    passages: Annotated[int, typer.Option(metavar="1|3", help="How many passages a model is shown.")] = 3,
    model: Model = "",
    budget: Annotated[
        float | None, typer.Option(min=0.0, metavar="USD", help="Ask a model for no more than this much money.")
    ] = None,
    json: Json = False,
) -> None:
    """Suggest up to three replies to a customer's last message, short and with their sources."""
    from autokb.app import SupportKB
    from autokb.cli.issue_views import suggestions_view
    from autokb.cli.output import emit

    with closing(SupportKB.open(workspace, model=model)) as kb:
        suggested = kb.suggest(text or "", chat=chat, strategy=strategy, passages=passages, budget=budget)
    emit(json, suggested.as_json(), lambda: suggestions_view(suggested))


@app.command(epilog="Example: autokb costs kb")
def costs(workspace: Folder, json: Json = False) -> None:
    """Show total spending, by stage and task."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.cli.views import costs_view

    spent = SupportKB.open(workspace).costs()
    emit(json, spent.as_json(), lambda: costs_view(spent))


@app.command(epilog="Example: autokb export kb kb.jsonl")
def export(
    workspace: Folder,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; one that is there is replaced.")],
    json: Json = False,
) -> None:
    """Write the whole knowledge base; the suffix chooses JSONL, Markdown or CSV, .graphml and .cypher the tickets."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    done = SupportKB.open(workspace).export(file)
    counts = {"lines": done.lines, "tickets": done.tickets, "solutions": done.solutions}
    what = next(f"{count} {name}" for name, count in counts.items() if count is not None)
    emit(json, done.as_json(), lambda: f"Wrote {what} to {file}.")


@app.command(name="import", epilog="Example: autokb import kb kb.jsonl")
def import_(
    workspace: Folder,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What was exported, edited perhaps.")],
    replace: Annotated[
        bool, typer.Option("--replace", help="Take a JSONL whole, in place of all that is there.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Also where readers lose more than half by it; goes on record.")
    ] = False,
    author: Annotated[str, typer.Option(metavar="A", help="Who forces it.")] = "",
    json: Json = False,
) -> None:
    """Take edited texts and verdicts from an export; an empty workspace takes a JSONL whole."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit, stage_bars
    from autokb.cli.views import imported_view
    from autokb.pipeline.versions import name_forcer

    forced_by = name_forcer(author) if force else ""
    kb = SupportKB.open(workspace)
    with stage_bars() as progress:
        done = kb.import_(file, replace=replace, force=forced_by, progress=progress)
    emit(json, done.as_json(), lambda: imported_view(workspace, done))
