"""Helps like pages of a manual: commands by what they are for, and what each shares with all others."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand, TyperGroup

EXIT_STATUS = (
    ("0", "done"),
    ("1", "failed"),
    ("2", "bad input; the sentence says what to do"),
    ("3", "stopped on purpose (a budget, awaited replies, Ctrl-C); run it again to go on"),
)
# The README has the same table.
TASKS = {
    "Try": ("demo", "doctor", "plugins"),
    "Set up and fill": ("init", "draft-spec", "chunk", "add", "sync", "sources", "remove"),
    "Build and look": ("plan", "build", "costs", "show", "changes"),
    "Versions": ("versions", "diff", "rollback", "publish", "discard", "checks", "vacuum"),
    "Ask": ("ask", "suggest", "tickets"),
    "Review": ("review", "approve", "reject", "hide", "edit", "write", "undo", "history", "dismiss"),
    "Run": ("serve", "mcp", "keys", "feedback", "outcomes", "gaps", "in-use", "stale", "trends", "digest"),
    "Measure and tune": ("evaluate", "trial", "draft-cases", "gate", "rank"),
    "Move": ("export", "import", "move"),
}
# What is often wanted next and stands under another task.
NEXT = {"add": ("build",), "build": ("publish", "discard", "checks"), "gaps": ("write", "add")}
FILES = (
    ("domain.yaml", "what the right answer depends on, and what answers must never say"),
    ("settings.yaml", "models, encoder, chunker, store, prices; everything in it is optional"),
    ("knowledge.db", "all else: one SQLite file"),
)
ENVIRONMENT = (
    ("AUTOKB_MODEL ...", "a setting of settings.yaml, which it overrides: AUTOKB_ and the setting's name"),
    ("OPENAI_API_KEY ...", "the key of a provider; it is never stored"),
)


class Page(TyperCommand):
    """A command whose help says how it ends and what belongs to it."""

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the example, the exit status and the commands of the same task."""
        super().format_epilog(ctx, formatter)
        _write(formatter, "Exit status", EXIT_STATUS)
        name = ctx.command_path.split()[1]
        others = next((names for names in TASKS.values() if name in names), ())
        also = ", ".join(f"autokb {one}" for one in (*others, *NEXT.get(name, ()), "--help") if one != name)
        text = f"See also: {also}"
        formatter.write(
            "\n" + textwrap.fill(text, formatter.width, subsequent_indent="  ", break_on_hyphens=False) + "\n"
        )


class Contents(TyperGroup):
    """All commands, by what they are for, each with its whole sentence."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands of each task."""
        for task, names in TASKS.items():
            helps = {one: self.commands[one].help or "" for one in names if one in self.commands}
            _write(formatter, task, [(one, " ".join(text.partition("\n\n")[0].split())) for one, text in helps.items()])
        ours = {one for names in TASKS.values() for one in names}
        _write(
            formatter, "Plug-ins", [(name, one.help or "") for name, one in self.commands.items() if name not in ours]
        )

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write what all commands share."""
        super().format_epilog(ctx, formatter)
        _write(formatter, "Files of a workspace", FILES)
        _write(formatter, "Environment", ENVIRONMENT)
        _write(formatter, "Exit status", EXIT_STATUS)


def _write(formatter: Any, heading: str, rows: Any) -> None:
    if rows:
        with formatter.section(heading):
            formatter.write_dl(rows)


def one_of(*values: str) -> Callable[[str], list[str]]:
    """Return what a shell completes an option with: those of the values that begin as what is typed."""

    def fitting(incomplete: str) -> list[str]:
        return [value for value in values if value.startswith(incomplete)]

    return fitting


F = TypeVar("F", bound=Callable[..., Any])


class Commands(typer.Typer):
    """Commands, each with the help of a page."""

    def command(self, *names: Any, **settings: Any) -> Callable[[F], F]:
        """Register a function as a command, as typer does."""
        return super().command(*names, **{"cls": Page, **settings})
