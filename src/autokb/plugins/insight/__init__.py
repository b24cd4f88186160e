"""What needs attention: content that rots, what customers ask more and more, and both on a weekly page."""

from autokb.plugin import Command, Page, Plugin, Route

CODE = "autokb.plugins.insight"
plugin = Plugin(
    "insight",
    summary="What rots, what rises, and a weekly page of both.",
    door=f"{CODE}.door:InsightDoor",
    commands=(
        Command(
            "stale",
            f"{CODE}.stale_commands:stale",
            "Show what rots: sources that changed, old ones, dead links, contradictions, near duplicates, idle "
            "documents.\n\nWhat is settled stays so over builds, until what it is about changes. Only with --model "
            "anybody is asked; what it answered is shown from then on.",
            example="autokb stale kb --kind duplicate  and then  autokb stale kb --join finding-3f2a91c07d15ab44",
        ),
        Command(
            "trends",
            f"{CODE}.trend_commands:trends",
            "Show what rises against its own past, what is new since the last build, and what solutions did.",
            example="autokb trends kb  and  autokb trends kb --weeks 2 --until 2026-03-01",
        ),
        Command(
            "digest",
            f"{CODE}.trend_commands:digest",
            "Write one page of Markdown: what rose, what is new and unanswered, what builds changed, what helped.",
            example="autokb digest kb --since 2026-03-02 --out digest.md",
        ),
    ),
    routes=(
        Route("/v1/trends", f"{CODE}.routes:trends", "editor", answer=f"{CODE}.trends:Trends"),
        Route("/v1/digest", f"{CODE}.routes:digest", "editor", answer=f"{CODE}.digest:Digest"),
        Route("/v1/stale", f"{CODE}.routes:stale", "editor", answer=f"{CODE}.stale:Stale"),
        Route(
            "/v1/stale/{finding}/{what}",
            f"{CODE}.routes:settle_finding",
            "editor",
            "POST",
            answer=f"{CODE}.stale:FindingSettled",
        ),
    ),
    pages=(
        Page("/stale", f"{CODE}.stale_page:show", "editor", menu="What rots", on="/review"),
        Page("/stale", f"{CODE}.stale_page:settle", "editor", "POST"),
        Page("/trends", f"{CODE}.trends_page:show", "editor", menu="What rises", on="/in-use"),
    ),
    templates=CODE,
    built_in=True,
)
