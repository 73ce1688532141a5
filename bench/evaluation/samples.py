"""Makes a recorded sample of what a model answered: `python -m bench.evaluation.samples FOLDER… --id ID --model MODEL --query QUESTION`.

Repeats the run with recorded answers, and stores each answer by the request that it answered, which is how the offline
services look it up (`offline.recordings`). The run must accept every answer: the human only delegates questions and
approves.
"""

import argparse
import asyncio
import gzip
import json
import re
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.harness import RunDriver, set_variables, start_stack
from bench.replay import Scripted
from contracts.runs.samples import Sample
from contracts.words.question_language import detect_language
from greenlight.client import Refused
from greenlight.errors import UsageError
from offline.recordings.answers import SAMPLES, Answers, Timeline
from offline.recordings.recording import (
    OF_SENTENCES,
    Body,
    Pages,
    Recording,
    RequestForm,
    is_alike,
    list_pairs,
)


class Retaken(Scripted):
    """Answers with the recording of the most similar request, and notes which call used each answer."""

    def __init__(self, folders: Sequence[Path]) -> None:
        super().__init__()
        loaded = [Recording.load(folder) for folder in folders]
        told = {name: [one for r in loaded for one in getattr(r, name)] for name in OF_SENTENCES}
        self.noted, self.missing = Recording([], **told), list[str]()
        self._sentences = Answers(self.noted)
        pairs = [pair for folder in folders for pair in list_pairs(folder)]
        pages = Pages()
        for asked, _ in pairs:
            pages.show(asked)
        self._left = [
            (RequestForm.of(asked), list_words(asked), reply | {"pages": pages.show(asked)})
            for asked, reply in pairs
        ]
        places = {reply["place"] for _, _, reply in self._left} | self.noted.places
        self._timeline = Timeline(places)

    async def reply(self, body: Body, call: str = "") -> Body:
        """Return what was recorded for the request that has most words in common with this one."""
        form, words, name = RequestForm.of(body), list_words(body), call.split(" ", 2)[-1]
        if form.of_sentences:
            told = self._sentences.reply(body)
            await self._timeline.wait_for(told)
            return told
        like = [one for one in self._left if is_alike(one[0], form) or has_all(one[0], form)]
        if not like:
            told = self._sentences.reply(body, call)
            self.missing += [name] if "error" in told else []
            return told
        best = max(like, key=lambda one: sum(map(compare, one[1], words)))
        self._left.remove(best)
        await self._timeline.wait_for(best[2])
        taken = self._sentences.fit(best[2], body, call) | {
            "pages": self._sentences.pages.show(body)
        }
        self.noted.answers.append((form._replace(call=name), taken))
        return taken


def find_day(folders: Sequence[Path]) -> str:
    """Return the day of the first answer."""
    first = min(int(reply["place"]) for folder in folders for _, reply in list_pairs(folder))
    return datetime.fromtimestamp(first / 1e9, UTC).date().isoformat()


def has_all(one: RequestForm, form: RequestForm) -> bool:
    """Return whether a recorded answer has all fields that are asked for today, with the same tools."""
    return one.tools == form.tools and {*form.answer} <= {*one.answer}


def list_words(body: Body) -> tuple[set[str], set[str]]:
    """Return the words of a conversation and of its last block, which distinguishes agents with one task each."""
    parts = body["messages"], body["messages"][-1]["content"][-1]
    every, last = (set(re.findall(r"\w+", json.dumps(part))) for part in parts)
    return every, last


def compare(one: set[str], other: set[str]) -> float:
    """Return which share of their words two texts have in common."""
    return len(one & other) / len(one | other)


def pack(sample: Sample, recording: Recording) -> bytes:
    """Return the content of a sample's file."""
    kept = {"sample": sample.model_dump(mode="json"), **json.loads(recording.dump())}
    return gzip.compress(json.dumps(kept, ensure_ascii=False).encode(), mtime=0)


async def record(sample: Sample, folders: Sequence[Path]) -> bytes:
    """Return the content of a sample's file, from a run that completed with these answers.

    Raises:
        UsageError: The run made a call that was not recorded, or did not complete.
    """
    model = Retaken(folders)
    with tempfile.TemporaryDirectory(prefix="greenlight-samples-") as folder:
        (Path(folder) / f"{sample.id}.json.gz").write_bytes(pack(sample, model.noted))
        with set_variables(GREENLIGHT_SAMPLES=folder):
            async with start_stack(model, "recorded") as client:
                try:
                    state = await follow(client, sample)
                except Refused as refused:
                    state = str(refused)
    if model.missing or state != "completed":
        raise UsageError(f"it ended as {state}; not recorded: {'; '.join(model.missing) or '-'}")
    return pack(sample, model.noted)


async def follow(client: RunDriver, sample: Sample) -> str:
    """Do a sample's run, and return how it ended."""
    run = await client.follow(sample.query, definition=sample.definition, inputs=sample.inputs)
    state = await client.gateway.state(run.id)
    return state.status if state.recorded else "changed"


def main() -> None:
    """Make a sample of the command line's folders."""
    parser = argparse.ArgumentParser(prog="python -m bench.evaluation.samples", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="of requests and replies")
    for name in ("id", "model", "query"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--date", help="left out: the day of the first answer")
    parser.add_argument("--definition", default="deep_research")
    for name in ("inputs", "choices"):
        parser.add_argument(f"--{name}", type=json.loads, default={}, help="as JSON")
    given = vars(parser.parse_args())
    folders = given.pop("folders")
    given["date"] = given["date"] or find_day(folders)
    sample = Sample.model_validate(given | {"language": detect_language(given["query"])})
    (SAMPLES / f"{sample.id}.json.gz").write_bytes(asyncio.run(record(sample, folders)))


if __name__ == "__main__":
    main()
