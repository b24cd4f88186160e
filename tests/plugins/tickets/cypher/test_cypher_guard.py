"""Cypher passes the guard or is refused with a sentence."""

from __future__ import annotations

from random import Random

import pytest
from benchmarks.cypher_queries import HONEST

import ticket_graphs
from autokb.core.property_graph import MOST_ROWS, name_graph
from autokb.domains.ticket_templates import shipped_template
from autokb.plugins.tickets.cypher.cypher_of_plan import cypher_of_plan
from autokb.plugins.tickets.cypher.guard import RefusedCypherError, check_cypher

NAMES = name_graph(shipped_template("en"), ("Duplicate", "Relates", "Blocks", "Parent-Subtask", "Gantt: finish-start"))

REFUSED = [
    ("", "it is empty"),
    ("   \n ", "it is empty"),
    ("RETURN 1", "MATCH was expected"),
    ("MATCH (t:Ticket)", "a clause was expected at its end"),
    ("MATCH (t:Ticket) RETURN t.id; MATCH (u:Ticket) RETURN u.id", "one statement"),
    ("MATCH (t:Ticket) RETURN t.id;;", "one statement"),
    ("LOAD FROM '/etc/passwd' RETURN *", "LOAD is not allowed"),
    ("COPY (MATCH (t:Ticket) RETURN t.id) TO '/tmp/x.csv'", "COPY is not allowed"),
    ("EXPORT DATABASE '/tmp/x'", "EXPORT is not allowed"),
    ("IMPORT DATABASE '/tmp/x'", "IMPORT is not allowed"),
    ("ATTACH '/tmp/x.db' AS x (dbtype sqlite)", "ATTACH is not allowed"),
    ("INSTALL httpfs", "INSTALL is not allowed"),
    ("USE x MATCH (t:Ticket) RETURN t.id", "USE is not allowed"),
    ("EXPLAIN MATCH (t:Ticket) RETURN t.id", "EXPLAIN is not allowed"),
    ("CALL show_tables() RETURN *", "CALL is not allowed"),
    ("MATCH (t:Ticket) CALL { MATCH (u:Ticket) RETURN u } RETURN t", "CALL is not allowed"),
    ("MATCH (t:Ticket) SET t.title = 'x'", "SET is not allowed"),
    ("MATCH (t:Ticket) DETACH DELETE t", "DETACH is not allowed"),
    ("MATCH (t:Ticket) REMOVE t.title", "REMOVE is not allowed"),
    ("MATCH (t:Ticket) CREATE (u:Ticket {id: 'x'})", "CREATE is not allowed"),
    ("MATCH (t:Ticket) MERGE (u:Ticket {id: 'x'}) RETURN u", "MERGE is not allowed"),
    ("MATCH (t:Ticket) FOREACH (x IN [1] | SET t.id = 'x')", "FOREACH is not allowed"),
    ("UNWIND [1, 2] AS x RETURN x", "UNWIND is not allowed"),
    ("MATCH (t:Ticket) UNWIND t.labels AS x RETURN x", "UNWIND is not allowed"),
    ("DROP TABLE Ticket", "DROP is not allowed"),
    ("ALTER TABLE Ticket DROP title", "ALTER is not allowed"),
    ("MATCH (t:Ticket) RETURN t.id // DROP", "comment"),
    ("MATCH (t:Ticket) /* x */ RETURN t.id", "comment"),
    ("MATCH (t:Тicket) RETURN t.id", "cyrillic capital letter te"),
    ("MATCH (t:Ticket) RETURN\u00a0t.id", "no-break space"),
    ("MATCH (t:Ticket) RETURN t.id\u200b", "zero width space"),
    ("MATCH (t:Ticket) RETURN t.id\x00", "control character"),
    ("MATCH (t:Ticket) WHERE t.id = 'a\u202eb' RETURN t.id", "cannot be seen"),
    ("MATCH (t:Ticket) WHERE t.id = 'a\\u0027 OR true' RETURN t.id", "escape"),
    ("MATCH (t:Ticket) WHERE t.id = 'a\n' RETURN t.id", "line break"),
    ("MATCH (t:Ticket) WHERE t.id = 'a RETURN t.id", "does not end"),
    ("MATCH (t:Ticket) WHERE t.id = $id RETURN t.id", "parameter"),
    ("MATCH (t:Ticket) WHERE t.title =~ '.*' RETURN t.id", "regular expressions"),
    ("MATCH (t:`Ticket` DETACH`) RETURN t", "letters, digits"),
    ("MATCH (t:Nonsense) RETURN t.id", "'Nonsense' is no label"),
    ("MATCH (t:ticket) RETURN t.id", "'ticket' is no label"),
    ("MATCH (t:`autokb projection`) RETURN t", "letters, digits"),
    ("MATCH (t:Ticket)-[:NONSENSE]->(u) RETURN u.id", "'NONSENSE' is no relation"),
    ("MATCH (t:Ticket) RETURN t.nonsense", "'nonsense' is no property"),
    ("MATCH (t:Ticket) RETURN t._id", "'_id' is no property"),
    ("MATCH (t:Ticket {nonsense: 1}) RETURN t.id", "'nonsense' is no property"),
    ("MATCH (t:Ticket {id: toLower('X')}) RETURN t.id", "a text or number was expected"),
    ("MATCH (n) RETURN n", "needs a label"),
    ("MATCH (t:Ticket), (n) RETURN n", "needs a label"),
    ("MATCH (t:Ticket)-[:DUPLICATE*]->(u) RETURN u.id", "needs a bound"),
    ("MATCH (t:Ticket)-[:DUPLICATE*2..]->(u) RETURN u.id", "needs a bound"),
    ("MATCH (t:Ticket)-[:DUPLICATE*1..4]->(u) RETURN u.id", "a path's length must be 1 to 3"),
    ("MATCH (t:Ticket)-[:DUPLICATE*0..2]->(u) RETURN u.id", "a path's length must be 1 to 3"),
    ("MATCH (t:Ticket)-[:DUPLICATE*3..2]->(u) RETURN u.id", "a path's length must be 3 to 3"),
    ("MATCH (t:Ticket)-[:DUPLICATE* SHORTEST 1..3]->(u) RETURN u.id", "needs a bound"),
    ("MATCH (t:Ticket)-[r:DUPLICATE*1..2]->(u) RETURN r", "cannot have a name"),
    ("MATCH p = (t:Ticket)-[:DUPLICATE]->(u) RETURN p", "( was expected"),
    ("MATCH (t:Ticket)<-[:DUPLICATE]->(u) RETURN u.id", "two heads"),
    ("MATCH " + ", ".join(f"(a{n}:Ticket)-[:RELATES*1..3]-(b{n})" for n in range(5)) + " RETURN a1.id", "more than 12"),
    ("MATCH (t:Ticket) RETURN *", "a * names nothing"),
    ("MATCH (t:Ticket) WITH * RETURN t.id", "a * names nothing"),
    ("MATCH (t:Ticket) WITH t.id RETURN 1", "needs a name"),
    ("MATCH (t:Ticket) WITH t.id AS x RETURN t.id", "'t' stands for nothing"),
    ("MATCH (t:Ticket) WITH t.id AS x RETURN x.id", "has no properties"),
    ("MATCH (t:Ticket) RETURN u.id", "'u' stands for nothing"),
    ("MATCH (t:Ticket) WHERE (t)-[:HAS_FIX]->(f:Fix) RETURN t.id", "cannot name anything new"),
    ("MATCH (t:Ticket)-[t:DUPLICATE]->(u) RETURN u.id", "'t' is no relation"),
    ("MATCH (t:Ticket) RETURN repeat(t.id, 1000000)", "the function repeat is not allowed"),
    ("MATCH (t:Ticket) RETURN range(1, 1000000000)", "the function range is not allowed"),
    ("MATCH (t:Ticket) RETURN lpad(t.id, 1000000000, 'x')", "the function lpad is not allowed"),
    ("MATCH (t:Ticket) RETURN current_setting('home_directory')", "the function current_setting is not allowed"),
    ("MATCH (t:Ticket) RETURN apoc.load.json('x')", "'apoc' stands for nothing"),
    ("MATCH (t:Ticket) RETURN [x IN t.labels | x]", "'x' stands for nothing"),
    ("MATCH (t:Ticket) RETURN t.labels[1]", "another thing comes before '['"),
    ("MATCH (t:Ticket) RETURN {a: 1}", "a value was expected"),
    ("MATCH (t:Ticket) RETURN t.id LIMIT 1 + 1", "one statement"),
    ("MATCH (t:Ticket) RETURN t.id LIMIT t", "LIMIT needs a whole number"),
    ("MATCH (t:Ticket) RETURN t.id LIMIT -1", "LIMIT needs a whole number"),
    ("MATCH (t:Ticket) RETURN t.id LIMIT 1.5", "LIMIT needs a whole number"),
    ("MATCH (t:Ticket) RETURN t.id SKIP 10000000", "SKIP must be"),
    ("MATCH (t:Ticket) RETURN 99999999999999", "is larger than"),
    ("MATCH (t:Ticket) WHERE NOT NOT true RETURN t.id", "two NOT"),
    ("MATCH (t:Ticket) WHERE t.id IN [" + "1," * 300 + "1] RETURN t.id", "more than 200 values"),
    ("MATCH (t:Ticket) WHERE " + "(" * 3000 + "true" + ")" * 3000 + " RETURN t.id", "more than 20 deep"),
    ("MATCH (t:Ticket) RETURN " + "1+" * 30000 + "1", "more than 50000 characters"),
    (" UNION ".join(["MATCH (t:Ticket) RETURN t.id"] * 26), "more than 25 parts"),
    ("MATCH (t:Ticket) WHERE EXISTS { CALL x() } RETURN t.id", "MATCH was expected"),
    ("MATCH (t:Ticket) WHERE exists(t.id) RETURN t.id", "the function exists is not allowed"),
]


@pytest.mark.parametrize(("text", "why"), REFUSED, ids=[text[:40] for text, _ in REFUSED])
def test_what_the_grammar_has_no_room_for_is_refused(text: str, why: str) -> None:
    with pytest.raises(RefusedCypherError) as refused:
        check_cypher(text, NAMES)
    assert why in str(refused.value)
    assert str(refused.value).startswith("The Cypher was refused: ") and str(refused.value).endswith(".")


@pytest.mark.parametrize("text", HONEST)
def test_honest_queries_pass(text: str) -> None:
    names = name_graph(
        shipped_template("en"), ("Duplicate", "Relates", "Blocks", "Depends", "Parent-Subtask", "Cloners")
    )
    assert check_cypher(text, names).most == MOST_ROWS


@pytest.mark.parametrize(
    ("text", "capped"),
    [
        ("MATCH (t:Ticket) RETURN t.id", "MATCH (t:Ticket) RETURN t.id LIMIT 200"),
        ("MATCH (t:Ticket) RETURN t.id ORDER BY t.id ;", "MATCH (t:Ticket) RETURN t.id ORDER BY t.id  LIMIT 200"),
        ("MATCH (t:Ticket) RETURN t.id LIMIT 5", "MATCH (t:Ticket) RETURN t.id LIMIT 5"),
        ("MATCH (t:Ticket) RETURN t.id LIMIT 99999999999999999999999", "MATCH (t:Ticket) RETURN t.id LIMIT 200"),
        (
            "MATCH (t:Ticket) WITH t LIMIT 500 RETURN t.id UNION MATCH (t:Ticket) RETURN 'LIMIT 999' AS x LIMIT 999",
            "MATCH (t:Ticket) WITH t LIMIT 500 RETURN t.id  LIMIT 200 UNION MATCH (t:Ticket) RETURN 'LIMIT 999' AS x"
            " LIMIT 200",
        ),
    ],
)
def test_rows_are_capped(text: str, capped: str) -> None:
    assert check_cypher(text, NAMES).text == capped


def test_every_plan_passes() -> None:
    random = Random(5)
    tickets = ticket_graphs.make_tickets(random)
    edges = ticket_graphs.make_edges(random, tickets)
    names = name_graph(ticket_graphs.TEMPLATE, ticket_graphs.LINK_TYPES)
    for plan in ticket_graphs.make_plans(random, tickets, edges, 200):
        query = cypher_of_plan(plan, ticket_graphs.TEMPLATE, names)
        assert check_cypher(query, names).text == query


def test_names_that_are_words_of_cypher_or_look_alike_stay_apart() -> None:
    names = name_graph(ticket_graphs.TEMPLATE, ticket_graphs.LINK_TYPES)
    graph = [*names.labels.values(), *set(names.relations.values()), *names.links.values(), "Ticket"]
    assert len({name.casefold() for name in graph}) == len(graph)
    assert names.links["Contains"] == "CONTAINS_2"  # a section has CONTAINS
    assert names.relations["order"] == names.relations["match"] == "HAS_PART"
