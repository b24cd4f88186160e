"""Answers batch files as a scripted model would."""

from __future__ import annotations

import json
import random
from pathlib import Path

from scripted_model import ScriptedModel


def answer_files(folder: Path, model: ScriptedModel, chance: random.Random, part: int, share: float = 0.7) -> int:
    """Answer a share of the requests in a folder, in any order; returns how many requests there were."""
    lines = [json.loads(x) for f in sorted(folder.glob("requests*.jsonl")) for x in f.read_text().splitlines()]
    chosen = [line for line in lines if chance.random() < share] or lines
    chance.shuffle(chosen)
    with (folder / f"replies-{part}.jsonl").open("w", encoding="utf-8") as out:
        for line in chosen:
            assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
            message = {"role": "assistant", "content": model(line["body"])}
            body = {
                "choices": [{"message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 10},
            }
            row = {"custom_id": line["custom_id"], "response": {"status_code": 200, "body": body}, "error": None}
            out.write(json.dumps(row) + "\n")
    return len(lines)
