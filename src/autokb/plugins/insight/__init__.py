"""Content that needs attention, trends in what customers ask, and both on a weekly page."""

from autokb.plugin import Command, Page, Plugin, Route

HERE, FINDING = "autokb.plugins.insight", "/v1/stale/{finding}/{what}"
JOIN = "/v1/issues/{issue}/join/{other}"
plugin = Plugin(
    "insight",
    summary="Content that needs attention, trends, and a weekly page of both.",
    methods={
        "curation.stale": f"{HERE}.stale:find_stale",
        "curation.judge_contradictions": f"{HERE}.stale:judge_contradictions",
        "curation.settle_finding": f"{HERE}.stale:settle_finding",
        "curation.join_trees": f"{HERE}.stale:join_trees",
        "usage.trends": f"{HERE}.trends:find_all_trends",
        "usage.digest": f"{HERE}.digest:write_digest",
    },
    commands=(
        Command(
            "stale",
            f"{HERE}.stale_commands:stale",
            "List what needs attention: sources that changed, documents not updated for long, contradictions.\n\n"
            "What is settled stays so over builds, until what it is about changes. A model is asked only with --model; "
            "its answers are shown from then on.",
            "autokb stale kb --kind outdated  and then  autokb stale kb --settle finding-3f2a91c07d15ab44",
        ),
        Command(
            "trends",
            f"{HERE}.trend_commands:trends",
            "Show what customers ask more than before, new topics since the last build, and the effect of solutions.",
            "autokb trends kb  and  autokb trends kb --weeks 2 --until 2026-03-01",
        ),
        Command(
            "digest",
            f"{HERE}.trend_commands:digest",
            "Write one page of Markdown: what rose, what is new and unanswered, what builds changed, what helped.",
            "autokb digest kb --since 2026-03-02 --out digest.md",
        ),
    ),
    routes=(
        Route("/v1/trends", f"{HERE}.routes:trends", "editor", "GET", f"{HERE}.trends:Trends"),
        Route("/v1/digest", f"{HERE}.routes:digest", "editor", "GET", f"{HERE}.digest:Digest"),
        Route("/v1/stale", f"{HERE}.routes:stale", "editor", "GET", f"{HERE}.stale:Stale"),
        Route(FINDING, f"{HERE}.routes:settle_finding", "editor", "POST", f"{HERE}.stale:FindingSettled"),
        Route(JOIN, f"{HERE}.routes:join_trees", "editor", "POST", f"{HERE}.stale:FindingSettled"),
    ),
    pages=(
        Page("/stale", f"{HERE}.pages:show_stale", "editor", menu="Needs attention", on="/review"),
        Page("/stale", f"{HERE}.pages:settle", "editor", "POST"),
        Page("/stale/join", f"{HERE}.pages:join", "editor", "POST"),
        Page("/trends", f"{HERE}.pages:show_trends", "editor", menu="Trends", on="/in-use"),
    ),
    templates=HERE,
    built_in=True,
)
