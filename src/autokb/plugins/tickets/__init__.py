"""Past tickets: a graph of their sections and links, answers from it, and what it adds to suggestions."""

from autokb.plugin import Command, Page, Plugin, Route

CODE = "autokb.plugins.tickets"
plugin = Plugin(
    "tickets",
    summary="Past tickets as a graph: answers, suggestions, similar ones.",
    namespace=f"{CODE}.namespace:TicketsNamespace",
    commands=(Command("tickets", f"{CODE}.commands:tickets", "Past tickets as trees of sections in a graph."),),
    routes=(
        Route("/v1/tickets", f"{CODE}.routes:tickets", "reader", answer=f"{CODE}.routes:TicketPage"),
        Route(
            "/v1/tickets/{ticket:path}",
            f"{CODE}.routes:ticket",
            "reader",
            answer=f"{CODE}.answers.open_tickets:ShownTicket",
        ),
    ),
    pages=(
        Page("/tickets", f"{CODE}.pages:tickets", "reader", menu="Tickets", on="/knowledge"),
        Page("/tickets/{ticket:path}", f"{CODE}.pages:ticket", "reader"),
    ),
    templates=CODE,
    tasks={
        f"tickets/{task}": f"{CODE}.tasks.{task}.task:TASK"
        for task in ("draft_template", "from_tickets", "parse_query", "read_sections", "write_cypher")
    },
    exports=dict.fromkeys((".graphml", ".cypher"), f"{CODE}.export:export_graph"),
    beside={"ticket": f"{CODE}.suggestions:PastTickets"},
    lists={"ticket": f"{CODE}.browser:open_ticket_list"},
    planned={"sections": f"{CODE}.build:TicketBuild"},
    takes={"tickets": f"{CODE}.build:TicketLines"},
    experiments={"tickets": f"{CODE}.experiments:TicketExperiments"},
    built_in=True,
)
