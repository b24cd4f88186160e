"""The ticket graph as a file for other programs: GraphML, or Cypher that loads into Neo4j and ladybug."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from autokb.core.errors import BadInputError
from autokb.core.files import write_file
from autokb.core.property_graph import (
    LINK_PROPERTIES,
    SECTION_PROPERTIES,
    TICKET_LABEL,
    TICKET_PROPERTIES,
    GraphNames,
    quote_name,
)
from autokb.core.results import Exported
from autokb.domains.ticket_templates import ticket_template
from autokb.exchange.export_kb import NOTHING_EXPORTED
from autokb.plugins.tickets.cypher.cypher_of_plan import quote_list, quote_text
from autokb.plugins.tickets.cypher.projection import Projection, label_above, ladybug_schema
from autokb.stores.ticket_tables import read_edges
from autokb.stores.workspace import Workspace

# What XML 1.0 has no room for, and Cypher no escape that every engine knows.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_NODE_DATA = ("label", *TICKET_PROPERTIES, *(name for name in SECTION_PROPERTIES if name != "id"), "dangling")
_EDGE_DATA = ("relation", "type", *LINK_PROPERTIES)


def export_graph(workspace: Workspace, target: Path) -> Exported:
    """Write the graph of the published tickets to a file, whose suffix chooses the format (BadInputError for none)."""
    suffix = target.suffix.lower()
    write = _graphml if suffix == ".graphml" else _cypher
    with workspace.file() as file, file.snapshot():
        projection = Projection(file, ticket_template(workspace.spec))
        if not projection.published:
            raise BadInputError(f"There is no published ticket to write as {suffix}; autokb tickets build makes some.")
        text = "".join(f"{line}\n" for line in write(projection, projection.names()))
    write_file(target, text, NOTHING_EXPORTED)
    return Exported(str(target), tickets=len(projection.published))


# Complex: it writes the file from top to bottom, with a loop for each kind of element.
def _graphml(projection: Projection, names: GraphNames) -> Iterator[str]:
    """Yield a directed graph whose nodes are tickets and sections; targets that are missing are nodes that dangle."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    kinds = {"dangling": "boolean", "score": "double"}
    for kind, data in (("node", _NODE_DATA), ("edge", _EDGE_DATA)):
        for name in data:
            type_ = kinds.get(name, "string")
            yield f'  <key id="{kind}.{name}" for="{kind}" attr.name="{name}" attr.type="{type_}"/>'
    yield '  <graph id="tickets" edgedefault="directed">'
    for tickets in projection.tickets():
        for ticket in tickets:
            yield _element("node", f"id={_attribute(ticket['id'])}", {"label": TICKET_LABEL, **ticket})
    relations = []
    for rule, nodes in projection.sections():
        for node in nodes:
            told = {"label": names.labels[rule.name], "ticket": node["ticket"], "text": node["text"]}
            yield _element("node", f"id={_attribute(node['id'])}", told)
            relations.append((node["above"], node["id"], names.relations[rule.name]))
    edges = read_edges(projection.file)
    for ident in sorted({end for edge in edges for end in (edge.source, edge.target)} - projection.published.keys()):
        yield _element("node", f"id={_attribute(ident)}", {"label": TICKET_LABEL, "id": ident, "dangling": "true"})
    for above, ident, relation in relations:
        ends = f"source={_attribute(above)} target={_attribute(ident)}"
        yield _element("edge", ends, {"relation": relation})
    for edge in edges:
        ends = f"source={_attribute(edge.source)} target={_attribute(edge.target)}"
        properties = {"type": edge.type, "origin": edge.origin, "score": f"{edge.score:g}"}
        yield _element("edge", ends, {"relation": names.links[edge.type], **properties})
    yield "  </graph>"
    yield "</graphml>"


def _element(kind: str, attributes: str, data: Mapping[str, Any]) -> str:
    parts = [f"    <{kind} {attributes}>"]
    for name, value in data.items():
        text = ", ".join(value) if isinstance(value, list) else str(value)
        if text:
            parts.append(f'<data key="{kind}.{name}">{escape(_CONTROL.sub(" ", text), {chr(13): "&#13;"})}</data>')
    return "".join([*parts, f"</{kind}>"])


def _attribute(text: str) -> str:
    return quoteattr(_CONTROL.sub(" ", text))


def _cypher(projection: Projection, names: GraphNames) -> Iterator[str]:
    """Yield one statement a line; links whose other end is missing are left out."""
    yield "// The ticket graph of a workspace, for an empty database: one statement a line."
    yield "// Neo4j loads faster with an index on id. ladybug needs its tables first: these lines without slashes."
    for statement in ladybug_schema(projection.template, names):
        yield f"// {statement};"
    for tickets in projection.tickets():
        for ticket in tickets:
            yield f"CREATE (:{TICKET_LABEL} {{{_properties(ticket)}}});"
    for rule, nodes in projection.sections():
        above, label = quote_name(label_above(rule, names)), quote_name(names.labels[rule.name])
        relation = quote_name(names.relations[rule.name])
        for node in nodes:
            yield (
                f"MATCH (a:{above} {{id: {_text(node.pop('above'))}}}) "
                f"CREATE (a)-[:{relation}]->(:{label} {{{_properties(node)}}});"
            )
    for kind, links in projection.links().items():
        for source, target, origin, score in links:
            yield (
                f"MATCH (a:{TICKET_LABEL} {{id: {_text(source)}}}), (b:{TICKET_LABEL} {{id: {_text(target)}}}) "
                f"CREATE (a)-[:{quote_name(names.links[kind])} {{origin: {_text(origin)}, score: {score:.6f}}}]->(b);"
            )


def _properties(values: Mapping[str, Any]) -> str:
    return ", ".join(
        f"{name}: {quote_list([_CONTROL.sub(' ', one) for one in value]) if isinstance(value, list) else _text(value)}"
        for name, value in values.items()
        if value != []  # an empty list has no type, which ladybug asks for
    )


def _text(text: str) -> str:
    return quote_text(_CONTROL.sub(" ", text))
