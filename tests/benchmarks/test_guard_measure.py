"""A twentieth of the measure of the guard, and that what watches it can see."""

from __future__ import annotations

import shutil
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest
from benchmarks.cypher_guard import QUERIES, SEED, TYPES, Counts, contents, make_workspace, measure, watching
from benchmarks.cypher_queries import HONEST, hostile

from autokb.core.errors import AutokbError
from autokb.core.property_graph import CheckedCypher, name_graph
from autokb.domains.ticket_templates import shipped_template
from autokb.plugins.tickets.cypher.guard import RefusedCypherError, check_cypher
from autokb.plugins.tickets.cypher.ladybug import LadybugGraph

needs_ladybug = pytest.mark.skipif(find_spec("ladybug") is None, reason="ladybug is missing (extra: cypher)")


@pytest.mark.slow
@needs_ladybug
def test_a_twentieth_of_the_hostile_queries_does_no_harm(tmp_path: Path) -> None:
    sandbox = tmp_path / "sandbox"
    sandbox.mkdir()
    counts = measure(sandbox, QUERIES // 20, tickets=300)
    assert sum(counts.made.values()) == QUERIES // 20
    assert counts.ran > 15  # else nothing was measured
    assert counts.changed == [] and counts.touched == [] and counts.seen == 0 and counts.overdue == []
    assert counts.honest_refused == [] and counts.honest_failed == []


@pytest.mark.slow
def test_no_statement_that_does_more_than_read_passes() -> None:
    names = name_graph(shipped_template("en"), TYPES)
    refused = 0
    for kind, text in hostile(Random(SEED + 1), "/tmp/sandbox", 5_000):
        try:
            check_cypher(text, names)
        except RefusedCypherError:
            refused += 1
        else:
            assert kind not in ("statement", "function"), text
    assert refused > 3_000 and len(HONEST) >= 60


@pytest.mark.slow
@needs_ladybug
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is missing")
def test_the_watch_sees_a_query_that_writes(tmp_path: Path) -> None:
    sandbox = tmp_path / "sandbox"
    sandbox.mkdir()
    counts, template = Counts(), shipped_template("en")
    with (
        closing(make_workspace(sandbox, template, 20)) as file,
        closing(LadybugGraph(file, template, sandbox)) as graph,
    ):
        graph.cypher(CheckedCypher("MATCH (t:Ticket) RETURN count(*)", 1))
        before = contents(sandbox)
        with watching(tmp_path / "trace", counts) as watch:
            watch(graph)
            with pytest.raises(AutokbError, match="File too large"):  # what is not in the guard's hands is the system's
                graph.cypher(CheckedCypher("COPY (MATCH (t:Ticket) RETURN t.id) TO 'stolen.csv'", 1))
        assert {name for name in contents(sandbox) if name not in before} == {"stolen.csv"}
    assert (sandbox / "stolen.csv").read_bytes() == b""
    if not counts.watched:
        pytest.skip("this machine lets no process be traced")
    assert any("stolen.csv" in line for line in counts.touched)
