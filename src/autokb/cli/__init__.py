"""The command line: a thin door that turns words into nouns, calls one use case, and shows the answer."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autokb.core.results import Result

STOPPED = 3  # exit code of a command that stopped on purpose; the contract has it
INTERRUPTED = 130  # what typer makes of Ctrl-C


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; errors are a sentence, with ``--json`` an object."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        with _warnings_as_sentences():
            status = _run(words)
        sys.stdout.flush()
        return status
    except (BrokenPipeError, SystemExit):
        # Whoever read us has seen enough, as `autokb show kb | head` does; nothing more can be said there. Typer and
        # rich tell a closed pipe by SystemExit.
        _silence(sys.stdout)
        return 0
    except (Exception, KeyboardInterrupt) as error:
        sentence, status = _told(error)
        return _fail(sentence, status, "--json" in words, getattr(error, "result", None))


# The files that register commands beside those of ``commands``, and which: a command loads its own.
REGISTERED = {
    "check_commands": "checks",
    "chunk_commands": "chunk",
    "decision_commands": "approve edit hide reject undo write",
    "demo_commands": "demo",
    "doctor_commands": "doctor",
    "draft_commands": "draft-cases draft-spec",
    "evaluate_commands": "evaluate",
    "evaluate_chunking": "evaluate",
    "evaluate_paper": "evaluate",
    "evaluate_retrievers": "evaluate",
    "evaluate_suggestions": "evaluate",
    "evaluate_tickets": "evaluate",
    "feedback_commands": "feedback",
    "gate_commands": "gate",
    "in_use_commands": "gaps in-use outcomes",
    "key_commands": "keys",
    "move_commands": "move",
    "plugin_commands": "plugins",
    "rank_commands": "rank",
    "review_commands": "changes history review",
    "serve_commands": "serve",
    "stale_commands": "stale",
    "ticket_commands": "tickets",
    "ticket_answer_commands": "tickets",
    "trend_commands": "digest trends",
    "trial_commands": "trial",
    "version_commands": "diff discard publish rollback vacuum versions",
}
COMMAND_FILES: dict[str, list[str]] = {}  # by command
for _file, _commands in REGISTERED.items():
    for _command in _commands.split():
        COMMAND_FILES.setdefault(_command, []).append(_file)


def _run(words: list[str]) -> int:
    from autokb.cli.commands import app

    load_commands(words[0] if words else "")
    status = app(_systems_joined(words), prog_name="autokb", standalone_mode=False)
    if status == INTERRUPTED:
        raise KeyboardInterrupt
    return status if isinstance(status, int) else 0


def load_commands(command: str = "") -> None:
    """Register a command; where none is named or known, as in ``autokb --help``, all of them."""
    from autokb.cli.commands import app

    if command in {c.name or getattr(c.callback, "__name__", "") for c in app.registered_commands}:
        return
    files = COMMAND_FILES.get(command)
    if files is None:
        files = [] if _add_commands_of_plugins(command) else list(REGISTERED)
    for name in files:
        import_module(f"autokb.cli.{name}")


def _add_commands_of_plugins(command: str) -> bool:
    """Register a plug-in's command, or where it is none of one those of all; returns whether it is one.

    Others' code is not loaded for the list of commands, which needs no more than their lines.
    """
    from autokb.cli.commands import app
    from autokb.core.plugins import plugins, use

    known = {one.name: (plugin, one) for plugin in plugins() for one in plugin.commands}
    for name in [command] if command in known else known:
        plugin, one = known[name]
        found: Any = use(plugin.name, one.function) if name == command or plugin.built_in else lambda: None
        if hasattr(found, "registered_commands"):
            app.add_typer(found, name=name, help=one.help)
        else:
            app.command(name=name, help=one.help, epilog=f"Example: {one.example}" if one.example else None)(found)
    return command in known


@contextmanager
def _warnings_as_sentences() -> Iterator[None]:
    """Say our own warnings as a sentence on standard error; those of libraries are shown as Python does."""
    from autokb.core.errors import AutokbWarning

    with warnings.catch_warnings():
        show = warnings.showwarning

        def say_or_show(message: Warning | str, category: type[Warning], *where: Any) -> None:
            if issubclass(category, AutokbWarning):
                sys.stderr.write(f"{message}\n")
            else:
                show(message, category, *where)

        warnings.simplefilter("default", AutokbWarning)
        warnings.showwarning = say_or_show  # type: ignore[assignment]  # of its arguments we need the first two
        yield


def _systems_joined(words: list[str]) -> list[str]:
    """Let ``--systems raw bm25`` take both words, which an option of typer cannot: ``--systems raw,bm25``."""
    if words[:1] != ["evaluate"] or "--systems" not in words:
        return words
    from autokb.evaluation.retrieval.system_names import names_systems

    start = words.index("--systems") + 1
    end = start
    while end < len(words) and names_systems(words[end]):
        end += 1
    return [*words[:start], ",".join(words[start:end]), *words[end:]] if end > start else words


def _told(error: BaseException) -> tuple[str, int]:
    """Say an error in a sentence, with its exit status."""
    import typer

    from autokb.core.errors import AutokbError

    if isinstance(error, AutokbError):
        return str(error), error.exit_status
    if isinstance(error, typer.Abort | KeyboardInterrupt):
        return "Stopped. What was finished is kept; run the same command to go on.", STOPPED
    if isinstance(error, MemoryError):
        return "There was not enough memory; add fewer or smaller files at once.", 1
    if isinstance(error, OSError):
        return f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}.", 1
    if hasattr(error, "format_message"):  # typer brings its own copy of click, so its class has no public name
        return _usage(error), 2
    import traceback

    from autokb.cli.output import say

    say("".join(traceback.format_exception(error)).rstrip("\n").split("\n"))
    return f"This is a fault in autokb ({type(error).__name__}: {error}); please report it.", 1


def _usage(error: object) -> str:
    text = error.format_message() if hasattr(error, "format_message") else str(error)
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "autokb"
    return text if "\n" in text else f"{text if text.endswith('?') else text.rstrip('.') + '.'} See: {command} --help"


def _fail(sentence: str, status: int, as_json: bool, result: Result | None) -> int:
    """Say why a command ended, and with ``--json`` what it did until then."""
    from autokb.cli.output import say, write_json

    batch = getattr(result, "batch", None)
    say((*(batch.said if batch else ()), sentence))
    if as_json:
        try:
            write_json({"error": sentence} if result is None else result.as_json())
        except OSError:
            _silence(sys.stdout)  # what failed may be the writing itself: a full disk
    return status


def _silence(stream: object) -> None:
    """Let what is still in a stream's buffer go nowhere, so that closing it at the end does not fail again."""
    try:
        number = stream.fileno()  # type: ignore[attr-defined]
    except (OSError, AttributeError, ValueError):
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)


def entry() -> None:
    """Run as the installed program."""
    for stream in (sys.stdout, sys.stderr):
        # a terminal of another encoding shows a question mark; it must not end the command
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    from autokb.cli.output import GuardedStream

    sys.stderr = GuardedStream(sys.stderr)
    sys.exit(main())
