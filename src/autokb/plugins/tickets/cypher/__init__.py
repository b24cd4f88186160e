"""Cypher for the ticket graph: a projection of it, engines that hold one, and a guard for what a model writes.

It keeps the port ``CypherReader`` of ``autokb.plugins.tickets.graph.cypher_port`` and is imported only when Cypher is
asked for.
"""
