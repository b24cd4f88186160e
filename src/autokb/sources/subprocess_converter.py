"""Converting PDF and DOCX in a process of its own, so that a hostile file can neither hang us nor eat the memory."""

from __future__ import annotations

import json
import subprocess
import sys

from autokb.core.errors import UnreadableFileError
from autokb.sources.page import ConvertedFile

# A manual of a thousand pages takes about two minutes on a slow machine.
LONGEST_SECONDS = 300
MOST_MEMORY_BYTES = 4 * 1024**3
_START = "from autokb.sources.subprocess_converter import main; main()"


def convert_in_subprocess(kind: str, data: bytes) -> ConvertedFile:
    """Return the page that a PDF or DOCX holds; UnreadableFileError says why there is none."""
    command = [sys.executable, "-P", "-c", _START, kind]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=LONGEST_SECONDS, check=False)
    except subprocess.TimeoutExpired as error:
        raise UnreadableFileError(f"takes more than {LONGEST_SECONDS} seconds to read; save it anew.") from error
    try:
        answer = json.loads(done.stdout.decode("utf-8"))
    except ValueError as error:
        raise UnreadableFileError(f"makes the {kind.upper()} reader fail; open it and save it anew.") from error
    if reason := answer.get("error"):
        raise UnreadableFileError(str(reason))
    return ConvertedFile(str(answer["text"]), str(answer["title"]))


def main() -> None:
    """Read one file from standard input, write the page as JSON; what the libraries print goes to standard error."""
    out = sys.stdout
    sys.stdout = sys.stderr
    _limit_memory()
    answer = _answer(sys.argv[1], sys.stdin.buffer.read())
    out.write(json.dumps(answer))


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MOST_MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(MOST_MEMORY_BYTES, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _answer(kind: str, data: bytes) -> dict[str, str]:
    try:
        if kind == "pdf":
            from autokb.sources.pdf import pdf_to_markdown

            page = pdf_to_markdown(data)
        else:
            from autokb.sources.docx import docx_to_markdown

            page = docx_to_markdown(data)
    except UnreadableFileError as error:
        return {"error": str(error)}
    except (MemoryError, RecursionError):
        return {"error": "is nested too deeply or unpacks to too much; save it anew."}
    except Exception as error:
        # Whatever a parser of foreign bytes throws is about those bytes, and the other files go on.
        return {"error": f"is damaged ({type(error).__name__}); open it and save it anew."}
    return {"text": page.text, "title": page.title}
