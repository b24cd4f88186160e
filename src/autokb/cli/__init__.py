"""The command line: a thin door that turns words into nouns, calls one use case, and shows the answer."""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Sequence

STOPPED = 3


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; errors are a sentence, with ``--json`` an object."""
    import typer

    from autokb.cli import evaluate_commands  # noqa: F401  (registers its commands)
    from autokb.cli.commands import app
    from autokb.errors import AutokbError

    words = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in words
    try:
        status = app(words, prog_name="autokb", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except AutokbError as error:
        return _fail(str(error), error.exit_status, as_json)
    except (typer.Abort, KeyboardInterrupt):
        return _fail("Stopped. What was finished is kept; run the same command to go on.", STOPPED, as_json)
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except MemoryError:
        return _fail("There was not enough memory; add fewer or smaller files at once.", 1, as_json)
    except OSError as error:
        return _fail(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}.", 1, as_json)
    except Exception as error:
        if hasattr(error, "format_message"):  # typer brings its own copy of click, so its class has no public name
            return _fail(_usage(error), 2, as_json)
        traceback.print_exc(file=sys.stderr)
        return _fail(f"This is a fault in autokb ({type(error).__name__}: {error}); please report it.", 1, as_json)


def _usage(error: object) -> str:
    text = error.format_message() if hasattr(error, "format_message") else str(error)
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "autokb"
    return text if "\n" in text else f"{text.rstrip('.')}. See: {command} --help"


def _fail(sentence: str, status: int, as_json: bool) -> int:
    if as_json:
        sys.stdout.write(json.dumps({"error": sentence}, ensure_ascii=False) + "\n")
    sys.stderr.write(sentence + "\n")
    return status


def entry() -> None:
    """Run as the installed program."""
    sys.exit(main())
