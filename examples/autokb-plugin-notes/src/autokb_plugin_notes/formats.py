"""Files of the suffix ``.note``: a title, ``key: value`` lines, an empty line, then text with ``* `` for steps."""

from autokb.core.errors import UnreadableFileError
from autokb.sources.page import ConvertedFile


def read_note(data: bytes) -> ConvertedFile:
    """Return a note as Markdown; it runs in a process with bounds on time and memory."""
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise UnreadableFileError("is no UTF-8 text; save it as such.") from error
    head, _, body = text.partition("\n\n")
    title, *lines = head.split("\n")
    named = dict(line.split(": ", 1) for line in lines if ": " in line)
    steps = 0
    written = []
    for line in body.split("\n"):
        is_step = line.startswith("* ")
        steps = steps + 1 if is_step else 0
        written.append(f"{steps}. {line[2:]}" if is_step else line)
    return ConvertedFile("\n".join([f"# {title}", "", *written]), title, named.get("url", ""))
