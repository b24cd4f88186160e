"""reStructuredText, with the directives and roles of Sphinx: docutils reads it, and what Sphinx adds is read as text.

No other file is read, and no HTML in it is passed on. Notes begin with their kind, tabs and what unfolds become
sections under their label, and before the text behind them the heading above is written again.
"""

from __future__ import annotations

import re
from textwrap import dedent
from typing import Any, ClassVar

from autokb.core.errors import UnreadableFileError
from autokb.plugins.markup.outline import Outline, without_signs
from autokb.sources.decoding import clean, decode
from autokb.sources.page import ConvertedFile, counted

_DIRECTIVE = re.compile(
    r"^[ \t]*\.\.[ \t]+(?:\|[^|\n]{1,100}\|[ \t]+)?([A-Za-z][\w:.+-]{0,60}?)::(?:[ \t]|$)", re.MULTILINE
)
_ROLE = re.compile(r":([A-Za-z][\w:.+-]{0,40}):`|`:([A-Za-z][\w:.+-]{0,40}):")
_HEAD_OF_DIRECTIVE = re.compile(r"\A\s*\.\.[^\n]*\n(?:[ \t]+:[\w-]+:[^\n]*\n)*")
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
_TOCTREE, _REFERENCES = "toctree", frozenset(("ref", "numref", "doc", "download", "any"))
_NOTES = frozenset("note warning tip hint important caution danger attention error".split())
_SILENT_ARGUMENTS = frozenset("only container rubric tabs tab-set grid ifconfig".split())
_BODY = re.compile(r"<body.*</body>", re.DOTALL)


def read_rst(data: bytes) -> ConvertedFile:
    """Return the Markdown of a file of reStructuredText."""
    try:
        from docutils import core, nodes
    except ImportError as error:
        raise UnreadableFileError("needs a library for reStructuredText: pip install 'autokb[markup]'.") from error

    text = without_signs(clean(decode(data)))
    if any(len(line) > LONGEST_LINE for line in text.split("\n")):
        raise UnreadableFileError(f"has a line of more than {LONGEST_LINE:,} characters; break it.")
    left_out: list[str] = []
    _teach(text, left_out)
    tree = core.publish_doctree(text, settings_overrides=_SETTINGS)
    wrong = _keep_text_of_errors(tree)
    _name_references(tree)
    _tidy(tree)
    outline = Outline()
    _mark_elements(tree, outline)
    pictures = sum(1 for _ in tree.findall(nodes.image))
    html = core.publish_from_doctree(tree, writer="html5", settings_overrides=_SETTINGS).decode("utf-8")
    page = outline.markdown(_BODY.search(html)[0])  # type: ignore[index]
    title = tree.next_node(nodes.title)
    signs = counted(wrong, "sign of markup that leads nowhere", "signs of markup that lead nowhere")
    found = (*dict.fromkeys(left_out), *counted(pictures, "picture"), *signs)
    return ConvertedFile(page.text, title.astext() if title else "", left_out=found)


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
    name = directive.name.removeprefix("py:")
    argument = " ".join(directive.arguments[0].split()) if directive.arguments else ""
    if name in _SILENT:
        return []
    if name in _GIVEN_NOWHERE or _GENERATED.fullmatch(directive.name):
        left_out.append(f"{name} {argument[:60]}".strip())
        return []
    if name in _CODE:
        return _code(name, argument, directive.content)
    if name == _TOCTREE:
        return (
            [] if "hidden" in directive.options else _contents(directive.options.get("caption", ""), directive.content)
        )
    return _read_content(directive, name, argument)


def _code(name: str, argument: str, lines: Any) -> list[Any]:
    from docutils import nodes

    block = nodes.literal_block("\n".join(lines), "\n".join(lines), classes=["code", *argument.split()[:1]])
    return [_element("tab", argument.partition(" ")[2] or argument, [block])] if name == "code-tab" else [block]


# Complex: the argument of a directive is a label, a version or a part of its text, by its name.
def _read_content(directive: Any, name: str, argument: str) -> list[Any]:
    from docutils import nodes

    def words(text: str) -> list[Any]:
        return list(directive.state.inline_text(text, directive.lineno)[0])

    body = nodes.container()
    version, _, rest = argument.partition(" ") if name in _VERSIONS else ("", "", argument)
    if rest and (name in _VERSIONS or name == "seealso"):
        body += nodes.paragraph("", "", *words(rest))
    directive.state.nested_parse(directive.content, directive.content_offset, body, match_titles=1)
    if name in _PANELS:
        label = directive.options.get("title") or argument or name.capitalize()
        return [_element("tab" if "tab" in name else "fold", label, list(body))]
    if name in _VERSIONS or name == "seealso":
        return [_element(f"{_VERSIONS[name]} {version}" if version else "See also", "", list(body))]
    if argument and name not in _SILENT_ARGUMENTS:
        body.insert(0, nodes.paragraph("", "", nodes.strong("", "", *words(argument))))
    return list(body)


def _element(kind: str, label: str, body: list[Any]) -> Any:
    from docutils import nodes

    return nodes.compound("", *body, kind=kind, label=label)


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
    found = _WITH_TARGET.fullmatch(words) if name != "abbr" else None
    shown = found[1] if found and found[1] else words.lstrip("!")
    if name in _LITERAL:
        return nodes.literal("", shown.lstrip("~").rpartition(".")[2] if shown.startswith("~") else shown)
    if name in ("menuselection", "guilabel"):
        return nodes.strong("", re.sub(r"&(?=\w)", "", shown.replace("-->", ">")))
    if name in _REFERENCES and shown == words:
        return nodes.inline("", _name_of(words), target=words.strip().lower())
    return nodes.inline("", shown)


def _keep_text_of_errors(tree: Any) -> int:
    """Put the text of what docutils cannot read in its place, and return how much that is."""
    from docutils import nodes

    places = list(tree.findall(nodes.problematic))
    for place in places:
        _replace(place, [nodes.Text(place.astext())])
    messages = [(one, _text_of_error(one)) for one in tree.findall(nodes.system_message)]
    for message, text in messages:
        _replace(message, _parsed_alone(text) if text else [])
    for section in [one for one in tree.findall(nodes.section) if "system-messages" in one["classes"]]:
        section.parent.remove(section)
    return len(places) + sum(1 for _, text in messages if text)


def _text_of_error(message: Any) -> str:
    """Return the content of a directive that is wrong, without its first line and its options."""
    from docutils import nodes

    block = next(iter(message.findall(nodes.literal_block)), None)
    return dedent(_HEAD_OF_DIRECTIVE.sub("", block.astext() + "\n")).strip("\n") if block else ""


def _parsed_alone(text: str) -> list[Any]:
    from docutils import core, nodes

    tree = core.publish_doctree(text, settings_overrides=_SETTINGS)
    for wrong in [*tree.findall(nodes.system_message)]:
        wrong.parent.remove(wrong)
    return list(tree)


def _replace(node: Any, others: list[Any]) -> None:
    place = node.parent.index(node)
    node.parent[place : place + 1] = others


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


# Complex: what is a note, a tab or a fold is known by three kinds of nodes.
def _mark_elements(tree: Any, outline: Outline) -> None:
    """Mark notes, tabs and what unfolds for the outline."""
    from docutils import nodes

    def mark(html: str) -> Any:
        return nodes.raw("", html, format="html")

    for one in [*tree.findall(nodes.Admonition), *(one for one in tree.findall(nodes.compound) if one.get("kind"))]:
        kind, label = one.get("kind") or one.tagname, one.get("label", "")
        if isinstance(one, nodes.admonition):
            title = one.next_node(nodes.title)
            kind, label = next((c for c in one["classes"] if c in _NOTES), "note"), title.astext()
            one.remove(title)
            label = "" if label.casefold() == kind else label
        # The innermost come last, and a sign ends the innermost: so they are set in the order of the text below.
        _replace(one, [nodes.inline("", kind=kind, label=label), *one, nodes.inline("", kind="end")])
    for sign in [one for one in tree.findall(nodes.inline) if one.get("kind")]:
        _replace(sign, [mark(outline.end() if sign["kind"] == "end" else outline.begin(sign["kind"], sign["label"]))])
