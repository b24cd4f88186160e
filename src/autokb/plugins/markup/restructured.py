"""reStructuredText, with the directives and roles of Sphinx: docutils reads it, and what Sphinx adds is read as text.

No other file is read, and no HTML in it is passed on. Notes begin with their kind, tabs and what unfolds become
sections under their label, and before the text behind them the heading above is written again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from autokb.core.errors import UnreadableFileError
from autokb.sources.decoding import clean, decode
from autokb.sources.html import html_to_markdown
from autokb.sources.page import ConvertedFile, counted

_DIRECTIVE = re.compile(
    r"^[ \t]*\.\.[ \t]+(?:\|[^|\n]{1,100}\|[ \t]+)?([A-Za-z][\w:.+-]{0,60}?)::(?:[ \t]|$)", re.MULTILINE
)
_ROLE = re.compile(r":([A-Za-z][\w:.+-]{0,40}):`|`:([A-Za-z][\w:.+-]{0,40}):")
_WITH_TARGET = re.compile(r"(.*?)\s*<([^<>]*)>\s*", re.DOTALL)
LONGEST_LINE = 20_000  # characters; in one of more docutils looks for marks for too long
_SETTINGS = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "_disable_config": True,
    "halt_level": 5,
    "report_level": 3,
    "warning_stream": False,
    "syntax_highlight": "none",
    "smart_quotes": False,
    "line_length_limit": LONGEST_LINE,
    "math_output": "LaTeX",
    "doctitle_xform": False,  # else the one section below a title would be no section
    "initial_header_level": 1,
    "embed_stylesheet": False,
    "stylesheet_path": "",
    "toc_backlinks": False,
    "sectnum_xform": False,
}
_CODE = frozenset(
    "code-block sourcecode code prompt doctest testcode testsetup ipython parsed-literal code-tab".split()
)
_PANELS = frozenset("tab tab-item group-tab content-tab dropdown collapse details toggle".split())
_VERSIONS = {
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
    "versionremoved": "Removed in version",
}
_SILENT = frozenset(
    "index highlight tocdepth codeauthor sectionauthor moduleauthor currentmodule module py:module py:currentmodule "
    "default-domain tabularcolumns meta contents sectnum title rst-class cssclass class header footer".split()
)
_GIVEN_NOWHERE = frozenset(
    "include literalinclude raw todo video youtube vimeo iframe graphviz uml mermaid plot".split()
)
_GENERATED = re.compile(r"auto\w+|\w*doc:auto\w+|click|argparse|openapi|doxygen\w+")
_LITERAL = frozenset(
    "attr class cmdoption code command confval const data envvar exc file func kbd keyword makevar meth mod obj option "
    "program regexp samp setting token type".split()
)
_TOCTREE, _REFERENCES = "toctree", frozenset(("ref", "numref"))
_OURS = (
    "note",
    "warning",
    "tip",
    "hint",
    "important",
    "caution",
    "danger",
    "attention",
    "error",
    "seealso",
    "admonition",
)


def read_rst(data: bytes) -> ConvertedFile:
    """Return the Markdown of a file of reStructuredText."""
    try:
        from docutils import core, nodes
    except ImportError as error:
        raise UnreadableFileError("needs a library for reStructuredText: pip install 'autokb[markup]'.") from error

    text = clean(decode(data))
    if any(len(line) > LONGEST_LINE for line in text.split("\n")):
        raise UnreadableFileError(f"has a line of more than {LONGEST_LINE:,} characters; break it.")
    left_out: list[str] = []
    _teach(text, left_out)
    tree = core.publish_doctree(text, settings_overrides=_SETTINGS)
    wrong = _keep_text_of_errors(tree)
    _name_references(tree)
    _label_notes(tree)
    _settle_panels(tree)
    _tidy(tree)
    pictures = sum(1 for _ in tree.findall(nodes.image))
    html = core.publish_from_doctree(tree, writer="html5", settings_overrides=_SETTINGS).decode("utf-8")
    page = html_to_markdown(html)
    left_out = list(dict.fromkeys(left_out))
    return ConvertedFile(
        page.text,
        tree.next_node(nodes.title).astext() if tree.next_node(nodes.title) else "",
        left_out=(
            *left_out,
            *counted(pictures, "picture"),
            *counted(wrong, "sign of markup that leads nowhere", "signs of markup that lead nowhere"),
        ),
    )


class _AnyOption(dict[str, Any]):
    """Options of a directive, all of which may be there."""

    def __bool__(self) -> bool:
        return True

    def __missing__(self, name: str) -> Any:
        return lambda value: value or ""


def _teach(text: str, left_out: list[str]) -> None:
    """Have docutils know every directive and role of a text; what directives leave out is told in ``left_out``."""
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives, roles

    class Read(Directive):  # type: ignore[misc]
        has_content = True
        optional_arguments = 1
        final_argument_whitespace = True
        option_spec: ClassVar[Any] = _AnyOption()

        def run(self) -> list[Any]:
            return _read_directive(self, left_out)

    def role(
        name: str, rawtext: str, words: str, line: int, inliner: Any, options: Any = None, content: Any = ()
    ) -> tuple[list[Any], list[Any]]:
        return [_read_role(name, nodes.unescape(words))], []

    ours = {*_CODE, *_PANELS, *_VERSIONS, *_SILENT, *_GIVEN_NOWHERE, _TOCTREE, "glossary", "only"} - {"class"}
    for name in {one.lower() for one in _DIRECTIVE.findall(text)} | ours:
        if name in ours or name not in directives._directive_registry:
            directives.register_directive(name, Read)
    for name in {(one or two).lower() for one, two in _ROLE.findall(text)}:
        if name not in roles._role_registry or name == "code":
            roles.register_local_role(name, role)


def _read_directive(directive: Any, left_out: list[str]) -> list[Any]:
    """Return what a directive that docutils does not know says: its argument and its content."""
    from docutils import nodes

    name, lines = (
        directive.name.rpartition(":")[2] if directive.name.startswith("py:") else directive.name,
        directive.content,
    )
    argument = " ".join(directive.arguments[0].split()) if directive.arguments else ""
    if name in _SILENT:
        return []
    if name in _GIVEN_NOWHERE or _GENERATED.fullmatch(directive.name):
        left_out.append(f"{name} {argument[:60]}".strip())
        return []
    if name in _CODE:
        block = nodes.literal_block(
            "\n".join(lines), "\n".join(lines), classes=["code", argument] if argument else ["code"]
        )
        return [_panel(name, argument, [block])] if name == "code-tab" else [block]
    if name == _TOCTREE:
        return [] if "hidden" in directive.options else _contents(directive.options.get("caption", ""), lines)
    body = nodes.container()
    if name in _VERSIONS:
        rest = argument.partition(" ")[2]
        inline, _ = directive.state.inline_text(rest, directive.lineno)
        body += nodes.paragraph("", "", *inline) if rest else []
    directive.state.nested_parse(lines, directive.content_offset, body, match_titles=1)
    if name in _PANELS:
        return [_panel(name, directive.options.get("title") or argument, list(body))]
    if name in _VERSIONS or name == "seealso":
        label = f"{_VERSIONS[name]} {argument.partition(' ')[0]}" if name in _VERSIONS else "See also"
        note = nodes.admonition("", *body, classes=["ours"], label=label)
        if name == "seealso" and argument:
            note.insert(0, nodes.paragraph("", "", *directive.state.inline_text(argument, directive.lineno)[0]))
        return [note]
    if argument and name not in ("only", "container", "rubric", "tabs", "tab-set", "grid", "ifconfig"):
        inline, _ = directive.state.inline_text(argument, directive.lineno)
        body.insert(0, nodes.paragraph("", "", nodes.strong("", "", *inline)))
    return list(body)


def _panel(name: str, argument: str, body: list[Any]) -> Any:
    from docutils import nodes

    label = argument.partition(" ")[2] or argument if name == "code-tab" else argument
    return nodes.compound("", *body, classes=["panel"], label=label or name.capitalize())


def _contents(caption: str, lines: Any) -> list[Any]:
    """Return the pages that a table of contents names, in their order."""
    from docutils import nodes

    names = [found[1] if (found := _WITH_TARGET.fullmatch(line)) and found[1] else _name_of(line) for line in lines]
    items = [nodes.list_item("", nodes.paragraph("", name)) for name in names if name.strip() and "*" not in name]
    title = [nodes.paragraph("", "", nodes.strong("", caption))] if caption else []
    return [*title, nodes.bullet_list("", *items)] if items else []


def _name_of(target: str) -> str:
    """Return the last part of a page's or a label's name as words."""
    last = target.strip().rstrip("/").rpartition("/")[2].partition("#")[0].removesuffix(".rst")
    return " ".join(re.split(r"[-_:\s]+", last)).strip()


def _read_role(role: str, words: str) -> Any:
    """Return what a role of Sphinx shows."""
    from docutils import nodes

    name = role.rpartition(":")[2]
    found = _WITH_TARGET.fullmatch(words)
    shown = found[1] if found and found[1] and name != "abbr" else words.lstrip("!")
    if name in _LITERAL:
        return nodes.literal("", shown.lstrip("~").rpartition(".")[2] if shown.startswith("~") else shown)
    if name == "menuselection":
        return nodes.strong("", shown.replace("-->", ">").replace("&", ""))
    if name == "guilabel":
        return nodes.strong("", re.sub(r"&(?=\w)", "", shown))
    if name in _REFERENCES and shown == words:
        return nodes.inline("", _name_of(words), target=words.strip().lower())
    if name in ("doc", "download", "any") and shown == words:
        return nodes.inline("", _name_of(words))
    return nodes.inline("", shown)


def _keep_text_of_errors(tree: Any) -> int:
    """Put the text of what docutils cannot read in its place, and return how much that is."""
    from docutils import core, nodes

    found = 0
    for place in list(tree.findall(nodes.problematic)):
        _replace(place, [nodes.Text(place.astext())])
        found += 1
    for message in list(tree.findall(nodes.system_message)):
        block = next(iter(message.findall(nodes.literal_block)), None)
        body = re.sub(r"\A\s*\.\.[^\n]*\n(?:[ \t]+:[\w-]+:[^\n]*\n)*", "", block.astext() + "\n") if block else ""
        if body.strip():
            found += 1
            inner = core.publish_doctree(_dedented(body), settings_overrides=_SETTINGS)
            for wrong in [*inner.findall(nodes.system_message)]:
                wrong.parent.remove(wrong)
            _replace(message, list(inner))
        else:
            message.parent.remove(message)
    for section in [one for one in tree.findall(nodes.section) if "system-messages" in one["classes"]]:
        section.parent.remove(section)
    return found


def _replace(node: Any, others: list[Any]) -> None:
    place = node.parent.index(node)
    node.parent[place : place + 1] = others


def _dedented(text: str) -> str:
    from textwrap import dedent

    return dedent(text).strip("\n")


def _name_references(tree: Any) -> None:
    """Have references say the title of the section that they name, and lose the way to it."""
    from docutils import nodes

    titles = {
        name: section.next_node(nodes.title).astext()
        for section in tree.findall(nodes.section)
        for name in section["names"]
        if section.next_node(nodes.title)
    }
    for one in list(tree.findall(nodes.inline)):
        if title := titles.get(one.get("target", "")):
            _replace(one, [nodes.Text(title)])
    for one in list(tree.findall(nodes.reference)):
        if "refid" in one:
            _replace(one, list(one))


def _tidy(tree: Any) -> None:
    """Mark code as such, and leave out fields that say nothing, as those for Sphinx alone, and the list of errors."""
    from docutils import nodes

    tree.transform_messages[:] = []
    for literal in tree.findall(nodes.literal):
        literal["classes"].append("code")
    for one in [one for one in tree.findall(nodes.field) if not one[-1].astext().strip()]:
        one.parent.remove(one)


def _label_notes(tree: Any) -> None:
    """Have notes begin with their kind, and be paragraphs like others."""
    from docutils import nodes

    for note in list(tree.findall(nodes.Admonition)):
        title = note.next_node(nodes.title) if isinstance(note, nodes.admonition) else None
        kind = note.get("label") or note.tagname.capitalize()
        named = {*note["classes"]} & set(_OURS)
        label = f"{kind}:"
        if title is not None and title.parent is note:
            kind = named.pop().capitalize() if named else ""
            words = title.astext().rstrip(".:")
            label = (
                f"{kind}: {words}."
                if kind and words.casefold() != kind.casefold()
                else words + ("" if words.endswith(("!", "?")) else ":")
            )
            note.remove(title)
        body = list(note)
        if body and isinstance(body[0], nodes.paragraph):
            body[0].insert(0, nodes.Text(" "))
            body[0].insert(0, nodes.strong("", label))
        else:
            body.insert(0, nodes.paragraph("", "", nodes.strong("", label)))
        _replace(note, body)


def _settle_panels(tree: Any) -> None:
    """Have tabs begin with their label as a heading, and the text behind them with the heading above."""
    from docutils import nodes

    for panel in list(tree.findall(nodes.compound)):
        if "panel" not in panel["classes"]:
            continue
        above = list(_ancestors(panel))
        label = nodes.paragraph("", "", nodes.strong("", panel["label"]))
        if not any(isinstance(one, nodes.list_item | nodes.table | nodes.block_quote) for one in above):
            depth = sum(isinstance(one, nodes.section) or "panel" in one.get("classes", ()) for one in above)
            label = _heading(min(6, max(2, depth + 1)), panel["label"])
            behind = panel.next_node(descend=False, siblings=True)
            section = next((one for one in above if isinstance(one, nodes.section | nodes.document)), tree)
            title = section.next_node(nodes.title)
            is_text = behind is not None and not isinstance(behind, nodes.section | nodes.compound | nodes.Invisible)
            if is_text and title is not None and title.parent is section:
                panel.parent.insert(panel.parent.index(panel) + 1, _heading(depth, title.astext()))
        panel.insert(0, label)


def _ancestors(node: Any) -> Iterator[Any]:
    while node.parent is not None:
        node = node.parent
        yield node


def _heading(level: int, words: str) -> Any:
    from html import escape

    from docutils import nodes

    html = f"<h{level}>{escape(words)}</h{level}>"
    return nodes.raw("", html, format="html")
