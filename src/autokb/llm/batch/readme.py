"""The README.txt beside batch files: which file goes to which provider, how, and what to do with the replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

HEADING = "Requests of autokb"  # a README.txt that begins otherwise is somebody else's
KNOWN = ("openai", "anthropic", "google", "bedrock")  # providers with steps of their own


@dataclass(frozen=True, slots=True)
class FileContents:
    """One file of requests: its name, the model that is asked, and how many requests of which task it holds."""

    name: str
    model: str
    tasks: Mapping[str, int]

    @property
    def counts(self) -> str:
        """How many requests of which task it holds, in words."""
        return ", ".join(f"{count} {task}" for task, count in sorted(self.tasks.items()))

    @property
    def provider(self) -> str:
        """Whose steps are told for it."""
        provider = self.model.partition(":")[0]
        return provider if provider in KNOWN else "other"

    @property
    def model_name(self) -> str:
        """The model's name at its provider."""
        return self.model.partition(":")[2] or self.model


def describe_files(files: Sequence[FileContents], outlook: str) -> str:
    """Return the text of the README; ``outlook`` says how many rounds are still to come."""
    import jinja2

    templates = jinja2.Environment(
        loader=jinja2.PackageLoader("autokb.llm.batch"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    examples: dict[str, FileContents] = {}  # the first file that goes to each provider
    for file in files:
        examples.setdefault(file.provider, file)
    template = templates.get_template("readme.txt")
    return template.render(heading=HEADING, files=files, outlook=outlook, examples=examples)
