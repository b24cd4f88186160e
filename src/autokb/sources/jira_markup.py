"""Jira's wiki markup to Markdown: headings, lists, code, quotes, links and tables; what is code stays as it is.

Blocks of HTML, which tickets have that were moved from another tracker, go through the reader of HTML.

Ours, since the library for it (jira2markdown) takes minutes for a thousand comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from autokb.sources.markup import to_markdown
from autokb.sources.page import fenced

# Neither escaped nor in the braces of a monospaced word, which may be the name of such a mark.
_BLOCK = re.compile(r"(?<![\\{])\{(code|noformat|html|quote)(?::([^}\n]*))?\}", re.IGNORECASE)
_CLOSING = {
    kind: re.compile(rf"(?<![\\{{])\{{{kind}\}}", re.IGNORECASE) for kind in ("code", "noformat", "html", "quote")
}
_CODE_MARK = re.compile(r"\{(?:code|noformat)(?::[^}\n]*)?\}", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)
_LANGUAGES = frozenset(
    {
        "actionscript", "bash", "c", "c#", "coffeescript", "cpp", "css", "diff", "go", "groovy", "html", "java",
        "javascript", "js", "json", "kotlin", "objc", "perl", "php", "python", "ruby", "scala", "sh", "sql", "swift",
        "xhtml", "xml", "yaml",
    }
)  # fmt: skip
_HEADING = re.compile(r"[ \t]*h([1-6])\.[ \t]*(.*)")
_LIST = re.compile(r"^[ \t]*([*#-]{1,10})[ \t]+(?=\S)")
_QUOTED_LINE = re.compile(r"^[ \t]*bq\.[ \t]*", re.MULTILINE)
_PANEL = re.compile(r"(?<![\\{])\{(?:panel|info|note|warning|tip|expand)(?::([^}\n]*))?\}", re.IGNORECASE)
_PANEL_TITLE = re.compile(r"(?:^|\|)title=([^|}]*)")
_STYLE = re.compile(r"(?<![\\{])\{(?:color|anchor|section|column|align|div|span)(?::[^}\n]*)?\}", re.IGNORECASE)
_MONOSPACE = re.compile(r"\{\{([^{}\n]{1,500})\}\}")
_BOLD = re.compile(r"(?<![\w*\\])\*(?=[^\s*])([^*\n]{0,300}?[^\s*\\])\*(?![\w*])")
_INSERTED = re.compile(r"(?<![\w+])\+(?=[\w*])([^+\n]{0,80}?[\w*:.!?])\+(?![\w+])")
_LINK = re.compile(r"\[([^\[\]|\n]{1,300})\|([^\[\]|\n]{1,1000})(?:\|[^\[\]\n]*)?\]")
_BARE_LINK = re.compile(r"\[((?:https?|ftp|mailto):[^\[\]|\s]{1,1000})\]")
_MENTION = re.compile(r"@?\[~([^\[\]\n]{1,100})\]")
_ATTACHED = re.compile(r"\[\^([^\[\]\n]{1,300})\]")
_IMAGE = re.compile(r"!([^!\s|][^!\n|]{0,300}\.(?:png|jpe?g|gif|bmp|svg|webp))(?:\|[^!\n]*)?!", re.IGNORECASE)
_ESCAPED = re.compile(r"\\([{}\[\]*_#|!^~+-])")
_RULE = re.compile(r"^[ \t]*-{4,}[ \t]*$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n{3,}")


def jira_to_markdown(text: str) -> str:
    """Return the Markdown of a text in Jira's markup; the mark of a block that nothing closes is left out.

    Raises UnreadableFileError for a block of HTML that is nested too deeply or takes too long to be read.
    """
    parts = "".join(_parts(text.replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ")))
    return _BLANK_LINES.sub("\n\n", parts).strip()


def _parts(text: str) -> Iterator[str]:
    """Yield what is outside of blocks as Markdown, code in fences, HTML as Markdown, and quotes with what they hold."""
    position = 0
    never_closed: set[str] = set()
    while opening := _BLOCK.search(text, position):
        kind = opening.group(1).lower()
        yield _prose(text[position : opening.start()])
        position = opening.end()
        closing = None if kind in never_closed else _CLOSING[kind].search(text, position)
        if closing is None and (kind in never_closed or kind != "html" or not _TAG.search(text, position)):
            never_closed.add(kind)
            continue
        end, position = (closing.start(), closing.end()) if closing else (len(text), len(text))
        block = text[opening.end() : end]
        if kind == "quote":
            yield _as_quote("".join(_parts(block)))
        else:
            yield _of_html(block) if kind == "html" else _fenced(block, opening.group(2) or "")
    yield _prose(text[position:])


def _fenced(code: str, parameters: str) -> str:
    if not code.strip():
        return ""
    if "\n" not in code and "`" not in code:
        return f"`{code.strip()}`"
    language = next((p for p in re.split(r"[|:]", parameters.casefold()) if p in _LANGUAGES), "")
    code = code.strip("\n").rstrip()
    return f"\n\n{fenced(code, language)}\n\n"


def _of_html(html: str) -> str:
    read = _CODE_MARK.sub("", to_markdown(html, "html")[0]).strip()
    return f"\n\n{read}\n\n" if read else ""


def _prose(text: str) -> str:
    text = _PANEL.sub(_panel_title, _STYLE.sub("", text))
    text = _RULE.sub("\n---\n", _QUOTED_LINE.sub("> ", text))
    text = "\n".join(_lines(text.split("\n")))
    text = _MONOSPACE.sub(r"`\1`", text)
    text = _BOLD.sub(r"**\1**", _INSERTED.sub(r"\1", text))
    text = _BARE_LINK.sub(r"<\1>", _LINK.sub(r"[\1](\2)", text))
    text = _IMAGE.sub(r"![\1](\1)", _ATTACHED.sub(r"\1", _MENTION.sub(r"@\1", text)))
    return _ESCAPED.sub(r"\1", text)


def _as_quote(quoted: str) -> str:
    return "\n\n" + "\n".join(f"> {line}".rstrip() for line in quoted.strip().split("\n")) + "\n\n"


def _panel_title(panel: re.Match[str]) -> str:
    title = _PANEL_TITLE.search(panel.group(1) or "")
    return f"\n\n**{title.group(1).strip()}**\n\n" if title and title.group(1).strip() else "\n"


# Complex: whether a blank line is needed depends on the kind of line before, in one pass.
def _lines(lines: list[str]) -> Iterator[str]:
    """Yield lines with the marks of headings, lists and tables as Markdown has them, blank lines before them."""
    before = ""
    for line in lines:
        kind = ""
        if found := _HEADING.match(line):
            if found.group(2).strip():
                yield from ("", f"{'#' * int(found.group(1))} {found.group(2).strip()}", "")
            before = ""
            continue
        if found := _LIST.match(line):
            marks = found.group(1)
            kind = "list"
            mark = "1." if marks.endswith("#") else "-"
            line = f"{'   ' * (len(marks) - 1)}{mark} {line[found.end() :].rstrip()}"
        elif line.lstrip().startswith("|") and line.rstrip().endswith("|") and len(line.strip()) > 1:
            kind = "table"
            yield from _row(line.strip(), first=before != "table")
            before = kind
            continue
        if kind == "list" and before == "text":
            yield ""
        yield line
        before = kind or ("text" if line.strip() else "")


def _row(line: str, *, first: bool) -> Iterator[str]:
    cells = [cell.strip() for cell in line.strip("|").replace("||", "|").split("|")]
    if first:
        yield ""
    yield f"| {' | '.join(cells)} |"
    if first:
        yield "|" + " --- |" * len(cells)
