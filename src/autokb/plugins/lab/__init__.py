"""What the knowledge base is worth: evaluations, the papers' tables, trials, test sets, and what is fitted on them."""

from autokb.plugin import Command, Page, Plugin

COMMANDS, PAGES = "autokb.plugins.lab.commands", "autokb.plugins.lab.pages"
SHEET, JUDGING = "/evaluation/sheet", "/evaluation/suggestions"
plugin = Plugin(
    "lab",
    summary="What the knowledge base is worth: evaluations, tables of papers, trials, test sets, calibration.",
    namespace="autokb.plugins.lab.namespace:EvaluateNamespace",
    attribute="evaluate",
    commands=(
        Command("evaluate", f"{COMMANDS}.evaluate:evaluate", "Measure retrieval and quality, with intervals."),
        Command(
            "trial",
            f"{COMMANDS}.trial:trial",
            "Build a sample offline and by a model, ask both past questions, and say what the whole would cost.",
            example="autokb trial kb --model openai:gpt-5-mini --budget 1.00  and, when people have marked the sheet:  "
            "autokb trial kb --sheet kb/trial/sheet.csv",
        ),
        Command(
            "draft-cases",
            f"{COMMANDS}.trial:draft_cases",
            "Write questions with their replies, of added chats or documents, as cases for a test set; private data "
            "masked.",
            example="autokb draft-cases kb cases.jsonl  and  "
            "autokb draft-cases kb cases.jsonl --from documents --out-of-domain others.jsonl",
        ),
        Command("gate", f"{COMMANDS}.gate:gate", "Which questions are off topic: calibrated on a team's own traffic."),
        Command("rank", f"{COMMANDS}.gate:rank", "Ranking features of plug-ins: fitted on your own questions."),
    ),
    pages=(
        Page("/evaluation", f"{PAGES}.evaluation:report", "editor", menu="Evaluation", after="/in-use"),
        Page(SHEET, f"{PAGES}.evaluation:sheet", "editor"),
        Page(SHEET, f"{PAGES}.evaluation:answer", "editor", "POST"),
        Page(JUDGING, f"{PAGES}.judging:sheets", "agent"),
        Page(f"{JUDGING}/sheet", f"{PAGES}.judging:case", "agent"),
        Page(f"{JUDGING}/sheet", f"{PAGES}.judging:judge", "agent", "POST"),
    ),
    templates="autokb.plugins.lab",
    built_in=True,
)
