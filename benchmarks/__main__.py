"""``python -m benchmarks`` runs the quick benchmarks, ``python -m benchmarks build ask`` those that are named."""

from __future__ import annotations

import argparse
import importlib

from benchmarks.figures import RESULTS, show, write

QUICK = (
    "startup",
    "attributes",
    "provenance",
    "steps",
    "ask",
)  # provenance of the shipped domains, ask with 7,000 solutions
SLOW = (
    "architecture",
    "answers",
    "ranking",
    "other_retrievers",
    "reading",
    "build",
    "languages",
    "passages",
    "tickets",
    "ticket_answers",
    "ticket_questions",
    "conversations",
    "strategies",
    "suggestions",
    "out_of_domain",
    "feedback",
    "retrieval",
    "retriever_study",
    "suggest_latency",
    "service_load",
    "service_stores",
    "chosen_load",
    "chosen_lines",
    "service_kills",
    "helpdesk_day",
    "service_machines",
    "question_log",
    "in_use",
    "knowledge_pages",
    "pages",
    "trees",
    "node_sections",
    "papers",
    "tree_requests",
    "cost",
    "plan",
    "concurrency",
    "killed_builds",
    "growth",
    "growth_builds",
    "versions",
    "gate",
    "trends",
    "stale",
    "sync",
    "malformed",
    "pdf_tables",
    "temperaments",
    "decisions",
    "edit_sequences",
    "solution_pages",
    "hostile",
    "installation",
    "tokenizer",
    "second_rules",
    "cypher_guard",
)
CHUNKERS = (
    "chunk_noise",
    "chunk_chroma",
    "chunk_completeness",
    "chunk_speed",
    "chunk_model",
    "chunk_retrieval",
    "chunk_subtrees",
)


def main() -> int:
    """Run benchmarks one after the other; a promise that was missed is shown, it is no failure of the run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join((*QUICK, *SLOW, *CHUNKERS))}, or all")
    parser.add_argument("--quick", action="store_true", help="the short form of those that are named")
    parser.add_argument("--store", action="store_true", help="keep the figures in benchmarks/results/")
    parser.add_argument(
        "--tuning", action="store_true", help="retrieval: stay inside the earlier 70 %% of the questions"
    )
    parser.add_argument("--systems", default="", help="retrieval: only these, with commas between")
    options = parser.parse_args()
    names = [*QUICK, *SLOW, *CHUNKERS] if options.names == ["all"] else options.names or list(QUICK)
    options.quick = options.quick or not options.names
    if unknown := [n for n in names if n not in (*QUICK, *SLOW, *CHUNKERS)]:
        parser.error(f"{unknown[0]} is no benchmark; they are {', '.join((*QUICK, *SLOW, *CHUNKERS))}")
    if options.quick and options.store:
        parser.error("--store keeps whole runs; name the benchmarks and leave --quick out")
    for name in names:
        result = importlib.import_module(f"benchmarks.{name}").run(options)
        show(result)
        print(f"Written to {write(result, keep=options.store).relative_to(RESULTS.parents[1])}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
