"""Cypher on a Neo4j server: a database of its own holds a projection of the tickets, replaced in one transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.ids import digest
from autokb.core.ticket_plan import TICKET_LABEL, CheckedCypher
from autokb.core.ticket_template import TicketTemplate
from autokb.cypher.ladybug import SECONDS
from autokb.cypher.port import CypherRows
from autokb.cypher.projection import Projection, label_above
from autokb.stores.ticket_tables import fingerprints, read_edges
from autokb.stores.workspace_file import WorkspaceFile

PROJECTION_LABEL = "AutokbProjection"  # the node that says that a database is ours, and of which tickets
LINKS_AT_ONCE = 5_000  # rows of one statement
LOADING_SECONDS = 600.0  # that the transaction of a projection may take


@dataclass
class Neo4jGraph:
    """The tickets of a workspace file in a Neo4j database that holds nothing else.

    The password is in the environment (NEO4J_PASSWORD); the user should be one who may do no more than this.
    """

    file: WorkspaceFile
    template: TicketTemplate
    uri: str
    user: str = ""
    password: str = field(default="", repr=False)
    database: str | None = None
    seconds: float = SECONDS
    _driver: Any = field(default=None, init=False, repr=False)
    _stamp: str = field(default="", init=False, repr=False)

    def __post_init__(self) -> None:
        """Say what to install where the driver is missing (BadInputError)."""
        if find_spec("neo4j") is None:
            raise BadInputError("A Neo4j graph needs its driver; install it with: pip install 'autokb[neo4j]'")

    def cypher(self, query: CheckedCypher) -> CypherRows:
        """Return what a query gives, read only (AutokbError where it fails or takes too long)."""
        with self._session() as session, session.begin_transaction(timeout=self.seconds) as transaction:
            result = transaction.run(query.text)
            rows = [tuple(map(_plain, record.values())) for record in result.fetch(query.most)]
            return CypherRows(tuple(result.keys()), tuple(rows))

    def close(self) -> None:
        """Close the connections."""
        if self._driver is not None:
            self._driver.close()
            self._driver = None

    @contextmanager
    def _session(self) -> Iterator[Any]:
        """Give a session that reads the tickets as they are; say what fails in one sentence."""
        import neo4j
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            if self._driver is None:
                login = (self.user, self.password) if self.user else None
                self._driver = neo4j.GraphDatabase.driver(self.uri, auth=login, connection_timeout=self.seconds)
            self._bring_up_to_date()
            with self._driver.session(database=self.database, default_access_mode="READ") as session:
                yield session
        except (DriverError, Neo4jError, OSError, ValueError) as error:
            why = str(error).strip().split("\n")[0].rstrip(".")[:300]
            raise AutokbError(f"The Neo4j graph at {self.uri} could not be asked: {why}.") from error

    def _bring_up_to_date(self) -> None:
        projection = Projection(self.file, self.template)
        generation = projection.stamp()
        if generation == self._stamp:
            return
        # Another workspace's may have the same generation, so this one says of what it is made.
        made = [f"{ident} {fingerprint}" for ident, fingerprint in fingerprints(self.file).items()]
        stamp = digest(generation, *made, *map(repr, read_edges(self.file)))
        with self._driver.session(database=self.database, default_access_mode="WRITE") as session:
            found = [record["stamp"] for record in session.run(f"MATCH (p:{PROJECTION_LABEL}) RETURN p.stamp AS stamp")]
            if found != [stamp]:
                if not found and session.run("MATCH (n) RETURN count(n) AS n").single()["n"]:
                    raise BadInputError(
                        f"The Neo4j database at {self.uri} holds something else; name an empty one in settings.yaml "
                        "(graph: database), for autokb replaces all that is in it."
                    )
                with projection.snapshot():
                    self._load(session, projection, stamp)
        self._stamp = generation

    def _load(self, session: Any, projection: Projection, stamp: str) -> None:
        """Replace all that the database holds; who reads meanwhile, or after a crash, sees what was there before."""
        names = projection.names()
        for label in (TICKET_LABEL, *names.labels.values()):
            session.run(f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:`{label}`) REQUIRE n.id IS UNIQUE").consume()
        with session.begin_transaction(timeout=LOADING_SECONDS) as transaction:
            transaction.run("MATCH (n) DETACH DELETE n").consume()
            for tickets in projection.tickets():
                transaction.run(f"UNWIND $rows AS r CREATE (t:{TICKET_LABEL}) SET t = r", rows=tickets).consume()
            for rule, nodes in projection.sections():
                above, label, relation = label_above(rule, names), names.labels[rule.name], names.relations[rule.name]
                transaction.run(
                    f"UNWIND $rows AS r MATCH (a:`{above}` {{id: r.above}}) CREATE (a)-[:`{relation}`]->"
                    f"(:`{label}` {{id: r.id, ticket: r.ticket, text: r.text}})",
                    rows=nodes,
                ).consume()
            for kind, links in projection.links().items():
                for start in range(0, len(links), LINKS_AT_ONCE):
                    transaction.run(
                        f"UNWIND $rows AS r MATCH (a:{TICKET_LABEL} {{id: r[0]}}), (b:{TICKET_LABEL} {{id: r[1]}}) "
                        f"CREATE (a)-[:`{names.links[kind]}` {{origin: r[2], score: r[3]}}]->(b)",
                        rows=[list(link) for link in links[start : start + LINKS_AT_ONCE]],
                    ).consume()
            transaction.run(f"CREATE (:{PROJECTION_LABEL} {{stamp: $stamp}})", stamp=stamp).consume()
            transaction.commit()


def _plain(value: Any) -> Any:
    """Return a node or a relation as its properties."""
    if hasattr(value, "items") and not isinstance(value, Mapping):
        return dict(value.items())
    return [_plain(one) for one in value] if isinstance(value, list) else value
