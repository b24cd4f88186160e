"""The shells complete commands and options, as the scripts tell them that ``--show-completion`` prints."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # each completion starts the program
PROGRAM = Path(sys.executable).with_name("autokb")
ASK = """
eval "$(_AUTOKB_COMPLETE=source_bash autokb)"
COMP_WORDS=({words}) COMP_CWORD={last}
_autokb_completion autokb
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def environment() -> dict[str, str]:
    if not PROGRAM.exists():
        pytest.skip("the program is not installed beside this Python")
    return {**os.environ, "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"}


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("autokb a", {"add", "ask", "approve"}),
        ("autokb keys ''", {"create", "list", "revoke"}),
        ("autokb evaluate ret", {"retrieval", "retrievers"}),
        ("autokb build kb --bat", {"--batch", "--batch-files"}),
        ("autokb add kb manuals --as ''", {"documents", "issues", "tickets", "chats"}),
        ("autokb plan kb --mode e", {"economical"}),
        ("autokb build kb --mode p", {"paper"}),
        ("autokb init kb --domain ''", {"headphones", "medical", "thunderbird"}),
        ("autokb keys create kb --role a", {"agent", "admin"}),
    ],
)
def test_a_bash_offers_what_fits(typed: str, offered: set[str], environment: dict[str, str]) -> None:
    script = ASK.format(words=typed, last=len(typed.split()) - 1)
    done = subprocess.run(["bash", "--norc", "-c", script], env=environment, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr, set(done.stdout.split())) == (0, "", offered)


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_have_their_scripts_and_their_answers(shell: str, environment: dict[str, str]) -> None:
    def ask(**more: str) -> str:
        done = subprocess.run([PROGRAM], env=environment | more, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    script = ask(_AUTOKB_COMPLETE=f"source_{shell}")
    assert f"_AUTOKB_COMPLETE=complete_{shell}" in script
    typed = {"_TYPER_COMPLETE_ARGS": "autokb ke", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    assert "keys" in ask(_AUTOKB_COMPLETE=f"complete_{shell}", **typed)
