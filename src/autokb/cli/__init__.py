"""The command line: a thin door that turns words into nouns, calls one use case, and shows the answer."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autokb.core.results import Result
    from autokb.plugin import Command

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
        sentence, status = _told(error, *words[:1])
        return _fail(sentence, status, "--json" in words, getattr(error, "result", None))


# The files that register commands beside those of ``commands``, and which: a command loads its own.
REGISTERED = {
    "check_commands": "checks",
    "chunk_commands": "chunk",
    "decision_commands": "approve edit hide reject undo write",
    "demo_commands": "demo",
    "doctor_commands": "doctor",
    "draft_commands": "draft-spec",
    "feedback_commands": "feedback",
    "in_use_commands": "gaps in-use outcomes",
    "key_commands": "keys",
    "move_commands": "move",
    "plugin_commands": "plugins",
    "review_commands": "changes history review",
    "serve_commands": "serve",
    "version_commands": "diff discard publish rollback vacuum versions",
}
COMMAND_FILES: dict[str, list[str]] = {}  # by command
for _file, _commands in REGISTERED.items():
    for _command in _commands.split():
        COMMAND_FILES.setdefault(_command, []).append(_file)


def _run(words: list[str]) -> int:
    command = words[0] if words else ""
    known = {} if command in COMMAND_FILES else _commands_of_plugins(built_in=False)
    if command not in known:
        load_commands(command)
    with _registered(known, command):
        try:
            return _status_of(words)
        except SystemExit as error:
            if command not in known:
                raise
            return _status_of_exit(error)


def _status_of_exit(error: SystemExit) -> int:
    """Return how a plug-in's command ended by itself; a closed pipe and a sentence are raised."""
    from autokb.core.errors import AutokbError

    if isinstance(error.__context__, OSError):
        raise error
    if isinstance(error.code, str):
        raise AutokbError(error.code) from error
    return int(error.code or 0)


def _status_of(words: list[str]) -> int:
    from autokb.cli.commands import app

    status = app(words, prog_name="autokb", standalone_mode=False)
    if status == INTERRUPTED:
        raise KeyboardInterrupt
    return status if isinstance(status, int) else 0


def load_commands(command: str = "") -> None:
    """Register a command of ours; where none is named or known, as in ``autokb --help``, all of them."""
    from autokb.cli.commands import app

    alone = (c.name or getattr(c.callback, "__name__", "") for c in app.registered_commands)
    registered = {*alone, *(group.name for group in app.registered_groups)}
    if command in registered:
        return
    files = COMMAND_FILES.get(command)
    if files is None:
        built_in = _commands_of_plugins(built_in=True)
        for name in [command] if command in built_in else built_in:
            if name not in registered:
                _register(*built_in[name])
        files = [] if command in built_in else list(REGISTERED)
    for name in files:
        import_module(f"autokb.cli.{name}")


def _commands_of_plugins(*, built_in: bool) -> dict[str, tuple[str, Command]]:
    from autokb.core.plugins import plugins

    return {one.name: (p.name, one) for p in plugins() if p.built_in is built_in for one in p.commands}


@contextmanager
def _registered(known: Mapping[str, tuple[str, Command]], command: str) -> Iterator[None]:
    """Register one of other plug-ins' commands for a run; where it is none of them, the lines of all.

    A process may run further commands, with other plug-ins perhaps: afterwards nothing of theirs is registered.
    """
    from autokb.cli.commands import app

    try:
        for name in [command] if command in known else known:
            _register(*known[name], is_run=name == command)
        yield
    finally:
        kinds: tuple[list[Any], ...] = (app.registered_commands, app.registered_groups)
        for registered in kinds:
            registered[:] = [one for one in registered if one.name not in known]


def _register(plugin: str, one: Command, *, is_run: bool = True) -> None:
    """Register a plug-in's command; of one that is only listed no code is loaded."""
    from autokb.cli.commands import app
    from autokb.core.plugins import use

    found: Any = use(plugin, one.function, "function or class") if is_run else lambda: None
    if hasattr(found, "registered_commands"):
        app.add_typer(found, name=one.name, help=one.help)
    else:
        app.command(name=one.name, help=one.help, epilog=f"Example: {one.example}" if one.example else None)(found)


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


def _told(error: BaseException, command: str = "") -> tuple[str, int]:
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
    return _fault(error, command), 1


def _fault(error: BaseException, command: str) -> str:
    """Say whose fault an error is that nobody expects: a plug-in's where the command is one of its."""
    import traceback

    from autokb.cli.output import say
    from autokb.core.plugins import at_fault, said

    say("".join(traceback.format_exception(error)).rstrip("\n").split("\n"))
    if known := _commands_of_plugins(built_in=False).get(command):
        return f"The plug-in {known[0]}: autokb {command} failed ({said(error, known[1].function)})."
    return at_fault(error) or f"This is a fault in autokb ({type(error).__name__}: {error}); please report it."


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
