"""Near duplicates: what the seeds keep of banking77's gold intents, UMAP beside principal components."""

from __future__ import annotations

import argparse
import gzip
import json
import resource
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from autokb.core.domain import DomainSpec, read_domain
from autokb.core.settings import REDUCTIONS
from autokb.heuristics.themes.find import find_themes
from autokb.issues.attribute_masking import problem_vectors
from autokb.issues.same_problem import similarity_threshold
from autokb.issues.seeds import Clusters, cluster
from autokb.issues.themes import freeze
from autokb.llm.embedders.packaged import PackagedEmbedder

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data" / "A_troubleshooting"
RESULT = ROOT / "benchmarks" / "results" / "deduplication.json"


def read(path: Path) -> list[dict[str, Any]]:
    """Read gzipped JSON lines."""
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().split("\n") if line]


def embedded(texts: list[str], cache: Path | None, name: str) -> Any:
    """Embed the texts, or read their vectors from the cache folder when it has them."""
    file = cache / f"{name}.npy" if cache else None
    if file and file.exists():
        return np.load(file)
    vectors = PackagedEmbedder().embed(texts)
    if file:
        np.save(file, vectors)
    return vectors


def clustered(texts: list[str], vectors: Any, reduction: Any, near: float) -> tuple[Clusters, int, float]:
    """Find themes and cluster inside each, as the build does; also the number of themes and the seconds."""
    start = time.perf_counter()
    themes = freeze(find_themes(texts, vectors), vectors)
    cosines = vectors @ themes.matrix().T
    of = np.where(cosines.max(axis=1) < themes.floor, themes.miscellaneous, cosines.argmax(axis=1)).tolist()
    seed_of: dict[str, str] = {}
    for theme in sorted(set(of)):
        rows = [i for i, t in enumerate(of) if t == theme]
        ids = [f"{i:06d}" for i in rows]
        seed_of.update(cluster(ids, vectors[rows], [texts[i] for i in rows], near, reduction).seed_of)
    sizes = Counter(seed_of.values())
    alone = {seed: "" for seed, size in sizes.items() if size == 1}
    return Clusters(seed_of, alone), len(set(of)), time.perf_counter() - start


def figures(clusters: Clusters, labels: list[set[str]]) -> dict[str, float]:
    """Count seeds; purity over clusters of two or more; share of same-cluster pairs with a label in common."""
    groups = [[int(m) for m in members] for members in clusters.members().values()]
    several = [g for g in groups if len(g) > 1]
    kept = set().union(*(labels[int(seed)] for seed in clusters.seeds)) if clusters.seeds else set()
    by_cluster = set().union(*(labels[int(s)] for s, m in clusters.members().items() if len(m) > 1), set())
    pure = sum(
        Counter(label for i in g for label in labels[i]).most_common(1)[0][1]
        for g in several
        if any(labels[i] for i in g)
    )
    same = pairs = 0
    for group in several:
        known = [labels[i] for i in group if labels[i]]
        for a, one in enumerate(known):
            same += sum(bool(one & other) for other in known[:a])
            pairs += a
    every = set().union(*labels)
    return {
        "seeds": len(groups),
        "clusters": len(several),
        "in_clusters": sum(map(len, several)) / len(labels),
        "labels_kept": len(kept & every) / len(every),
        "labels_kept_by_clusters": len(by_cluster & every) / len(every),
        "purity": pure / max(1, sum(1 for g in several for i in g if labels[i])),
        "pair_precision": same / max(1, pairs),
        "biggest": max(map(len, groups)),
    }


def measure(
    name: str, texts: list[str], labels: list[set[str]], spec: DomainSpec, cache: Path | None, nears: list[float]
) -> list[dict[str, Any]]:
    """Measure both reductions on one collection, told without its attribute values as the build does it."""
    own = embedded(texts, cache, name)
    vectors = problem_vectors(texts, spec, own, lambda some: embedded(list(some), cache, f"{name}_neutral"))
    learnt = similarity_threshold(vectors)
    rows = []
    for near in [learnt, *nears]:
        for reduction in REDUCTIONS:
            clusters, themes, seconds = clustered(texts, vectors, reduction, near)
            row = {"data": name, "reduction": reduction, "near": near, "learnt": near == learnt, "themes": themes}
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            row |= figures(clusters, labels) | {"seconds": round(seconds, 1), "peak_mb": peak}
            rows.append(row)
            print_row(row)
    return rows


HEAD = (
    "data         how   near    themes  seeds clusters within  kept by_clust purity  pairs  biggest  seconds     MB\n"
    "(* = the cosine learnt from the data, as the build does it; pairs = pairs of one cluster with a label in common)"
)


def print_row(row: dict[str, Any]) -> None:
    """Print one line of the table."""
    start = f"{row['data']:12} {row['reduction']:5} {row['near']:.3f}{'*' if row['learnt'] else ' '} {row['themes']:6}"
    sizes = f"{row['seeds']:6} {row['clusters']:8} {row['in_clusters']:6.2f} {row['labels_kept']:6.3f}"
    quality = f"{row['labels_kept_by_clusters']:8.3f} {row['purity']:6.3f} {row['pair_precision']:6.3f}"
    print(start, sizes, quality, f"{row['biggest']:8} {row['seconds']:8.1f} {row['peak_mb']:6}", flush=True)


def main() -> None:
    """Measure, print the table and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, help="folder to keep the vectors in between runs")
    parser.add_argument("--near", type=float, nargs="*", default=[], help="further likenesses to try beside the learnt")
    options = parser.parse_args()
    bank, bird = DATA / "banking77" / "raw_issues.jsonl.gz", DATA / "thunderbird" / "raw_issues.jsonl.gz"
    if not bank.exists():
        print("Skipped: the developers' data is not beside this checkout (shared/data).")
        return
    print(
        "data         how   near    themes  seeds clusters within  kept by_clust purity  pairs  biggest  seconds     MB"
    )
    issues = read(bank)
    rows = measure(
        "banking77",
        [r["text"] for r in issues],
        [{r["intent"]} for r in issues],
        DomainSpec("bank"),
        options.cache,
        options.near,
    )
    issues = read(bird)
    links = [{g["slug"] for g in r["gold_kb"] if not g["boilerplate"]} for r in issues]
    texts = [f"{r['title']}\n{r['text']}" for r in issues]
    domain = read_domain(yaml.safe_load((ROOT / "src" / "autokb" / "domains" / "thunderbird.yaml").read_text("utf-8")))
    rows += measure("thunderbird", texts, links, domain, options.cache, options.near)
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps({"rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
