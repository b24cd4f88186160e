"""The README.txt beside batch files: which file goes to which provider, how, and what to do with the replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

HEADING = "Requests of autokb"  # a README.txt that begins otherwise is somebody else's


@dataclass(frozen=True, slots=True)
class FileContents:
    """One file of requests: its name, the model that is asked, and how many requests of which task it holds."""

    name: str
    model: str
    tasks: Mapping[str, int]


def describe_files(files: Sequence[FileContents], outlook: str) -> str:
    """Return the text of the README; ``outlook`` says how many rounds are still to come."""
    listed = "\n".join(f"  {f.name}  {f.model}  {_counts(f.tasks)}" for f in files)
    providers = dict.fromkeys(_form(f.model) for f in files)
    steps = "\n\n".join(STEPS[form].format(**_example(files, form)) for form in providers)
    around = "\n\n".join(filter(None, (BEGINNING.format(files=listed), outlook, steps, ENDING)))
    return f"{HEADING}\n\n{around}\n"


def _counts(tasks: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {task}" for task, count in sorted(tasks.items()))


def _form(model: str) -> str:
    provider = model.partition(":")[0]
    return provider if provider in STEPS else "other"


def _example(files: Sequence[FileContents], form: str) -> dict[str, str]:
    """Return the first file that goes to a provider, and the name of its model there."""
    first = next(f for f in files if _form(f.model) == form)
    return {"file": first.name, "model": first.model.partition(":")[2] or first.model}


BEGINNING = """\
The build stopped because it needs replies of a model. Each file here holds requests to one model, one a line:

{files}

A request's custom_id (Google: key) names its task. Keep it in the reply, for replies are matched by it. A file of
replies may have any name that ends in .jsonl and does not begin with "requests". The order of replies and the number
of files do not matter."""

ENDING = """\
Then run the same autokb command again. It takes the replies, says which are missing or cannot be used, and either ends
the build or writes the requests of the next round here. With --wait the command stays and goes on by itself as soon as
replies lie in this folder. With a key of the provider, autokb build --batch does all of this without files. A request
that is answered by two files is paid for twice; the first reply counts."""

STEPS = {
    "openai": """\
OpenAI (a file may also be uploaded on the Batches page of the platform's dashboard):

  curl https://api.openai.com/v1/files -H "Authorization: Bearer $OPENAI_API_KEY" \\
    -F purpose=batch -F file=@{file}
  # its answer has the file's id
  curl https://api.openai.com/v1/batches -H "Authorization: Bearer $OPENAI_API_KEY" \\
    -H "Content-Type: application/json" \\
    -d '{{"input_file_id": "FILE_ID", "endpoint": "/v1/chat/completions", "completion_window": "24h"}}'
  # until its status is completed, it then names output_file_id (and error_file_id where requests failed):
  curl https://api.openai.com/v1/batches/BATCH_ID -H "Authorization: Bearer $OPENAI_API_KEY"
  curl https://api.openai.com/v1/files/OUTPUT_FILE_ID/content -H "Authorization: Bearer $OPENAI_API_KEY" \\
    > replies.jsonl""",
    "anthropic": """\
Anthropic (takes the requests in one object, which jq makes of a file):

  jq -c -s '{{requests: .}}' {file} | curl https://api.anthropic.com/v1/messages/batches \\
    -H "x-api-key: $ANTHROPIC_API_KEY" -H "anthropic-version: 2023-06-01" \\
    -H "content-type: application/json" --data-binary @-
  # until its processing_status is ended:
  curl https://api.anthropic.com/v1/messages/batches/BATCH_ID \\
    -H "x-api-key: $ANTHROPIC_API_KEY" -H "anthropic-version: 2023-06-01"
  curl https://api.anthropic.com/v1/messages/batches/BATCH_ID/results \\
    -H "x-api-key: $ANTHROPIC_API_KEY" -H "anthropic-version: 2023-06-01" > replies.jsonl""",
    "google": """\
Google (Gemini API, with its Python package google-genai and GOOGLE_API_KEY set; Vertex AI takes other files):

  from google import genai
  client = genai.Client()
  file = client.files.upload(file="{file}", config={{"mime_type": "application/jsonl"}})
  job = client.batches.create(model="{model}", src=file.name)
  # later, when client.batches.get(name=job.name).state is JOB_STATE_SUCCEEDED:
  job = client.batches.get(name=job.name)
  open("replies.jsonl", "wb").write(client.files.download(file=job.dest.file_name))""",
    "bedrock": """\
Bedrock's own batch jobs take files of another form, which autokb does not write. The lines of {file} are those
of OpenAI's batch interface: answer them with a program of your own, or run the build without --batch-files.""",
    "other": """\
Servers that know OpenAI's batch interface take {file} as it is: upload it as a file with the purpose "batch", make a
batch of it for the endpoint /v1/chat/completions, and save the batch's output file here. For others, send each line's
body to /v1/chat/completions and write one line a reply:

  {{"custom_id": "...", "response": {{"status_code": 200, "body": THE_SERVER'S_ANSWER}}}}""",
}
