"""``make demo``: the headphones domain, built offline, shown, and asked three questions."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from autokb.cli import main

FOLDER = Path("demo-workspace")
QUESTIONS = (
    ("an exact match", "There is no sound on my Windows laptop"),
    ("one that asks back", "How can I check the battery level?"),
    ("one that abstains", "How do I bake sourdough bread?"),
)


def run(*words: str) -> int:
    """Show a command as it would be typed and run it."""
    print(f"\n$ autokb {shlex.join(words)}", flush=True)
    return main(words)


def demo(folder: Path = FOLDER) -> int:
    """Run the whole way in a folder that is made afresh; returns the first exit status that is not 0."""
    if folder.exists():
        shutil.rmtree(folder)
    name = str(folder)
    steps = [("init", name, "--domain", "headphones", "--examples"), ("build", name), ("show", name, "--most", "6")]
    for step in steps:
        if status := run(*step):
            return status
    for what, question in QUESTIONS:
        print(f"\n--- {what} ---", flush=True)
        if status := run("ask", name, question, "--k", "1"):
            return status
    print(f"\nAll of it is in {name}: one SQLite file and two YAML files. Open it in a browser:")
    print(shlex.join((*_find_command(), "serve", name)))
    print("Or ask a question of your own:")
    print(shlex.join((*_find_command(), "ask", name, "One of my earbuds is silent")))
    return 0


def _find_command() -> tuple[str, ...]:
    """Return how autokb is called from here: by its name where it is on the path, else by the program beside Python."""
    program = Path(sys.executable).with_name("autokb")
    if not program.exists():
        return sys.executable, "-m", "autokb"
    on_path = shutil.which("autokb")
    if on_path and Path(on_path).absolute() == program:
        return ("autokb",)
    here = Path.cwd()
    return (str(program.relative_to(here) if program.is_relative_to(here) else program),)


if __name__ == "__main__":
    sys.exit(demo())
