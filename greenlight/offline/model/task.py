"""What the inputs of a request are about: question, answers, plan, sources."""

import re
from functools import cached_property
from itertools import zip_longest
from typing import Any

from greenlight.offline.model.change import LONGEST_WORDS, added, left_out, revised, topics
from greenlight.offline.model.conversation import Conversation
from greenlight.offline.model.gazetteer import places, without_places
from greenlight.offline.model.regions import meant, regions, without_regions
from greenlight.offline.model.source import Source, is_of, noted, quoted
from greenlight.offline.text.aspects import TIME, measures_in, states_means, states_time
from greenlight.offline.text.language import is_english
from greenlight.offline.text.passages import SENTENCE
from greenlight.offline.text.subject import compared, segment, topic, without
from greenlight.offline.text.words import clip, listed, stems, subject_stems

NUMBERED = re.compile(r"source-(\d+)$")
QUESTION = ("question", "query", "topic", "task", "request", "message")
ANSWERS = ("answers", "answered", "brief")
NO_SOURCES = frozenset({*QUESTION, *ANSWERS, "feedback", "steering", "instructions", "error"})
ASIDE = re.compile(r"\b(?:how soon|by when|budget|decide or do|already know)\b", re.IGNORECASE)
"""Questions whose answers say nothing about the subject."""
CRITERION = re.compile(r"\b(?:counts?|matters?|weighs?) most\b|\bcriteri", re.IGNORECASE)
"""A question whose answer says what the conclusion rests on."""
LONGEST_QUESTION, LONGEST_TOPIC = 2_000, 180


class Task:
    """A conversation's inputs, read once."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation

    @cached_property
    def question(self) -> str:
        """What was asked, as far as anyone reads on."""
        given = self.conversation.text(*QUESTION)
        texts = (t for name, t in self.conversation.inputs.items() if not NUMBERED.match(name))
        asked = given or next((t for t in texts if t.strip() and t.lstrip()[0] not in "[{"), "")
        return asked[:LONGEST_QUESTION]

    @cached_property
    def _asked(self) -> list[dict[str, Any]]:
        given = self.conversation.data(*ANSWERS)
        if isinstance(given, dict):
            pairs = [{"question": q, "answer": a} for q, a in given.items()]
            given = given.get("answers", pairs)
        if isinstance(given, str):
            given = [{"question": "", "answer": given}]
        return [a for a in given if isinstance(a, dict)] if isinstance(given, list) else []

    @cached_property
    def answers(self) -> list[tuple[str, str]]:
        """What was asked back and answered; "you decide" is no answer."""
        pairs = [(str(a.get("question", "")), a.get("answer")) for a in self._asked]
        pairs += self._object("constraints").items()
        return [(question, str(answer).strip()) for question, answer in pairs if answer]

    @cached_property
    def followed(self) -> str:
        """The question that this one follows up on: an answer that is a question itself."""
        return next((answer for _, answer in self.answers if answer.endswith("?")), "")

    @cached_property
    def left_open(self) -> list[str]:
        """The questions that were put and not answered."""
        return [str(a.get("question", "")) for a in self._asked if not a.get("answer")]

    @cached_property
    def startup(self) -> dict[str, Any]:
        """The business idea that the question is asked for."""
        return self._object("startup")

    @cached_property
    def idea(self) -> str:
        """The idea that is to be pursued, by its title."""
        return str(self._object("idea").get("title", ""))

    @cached_property
    def plan(self) -> dict[str, Any]:
        """The plan that is being carried out."""
        return self._object("plan")

    @cached_property
    def reported(self) -> list[dict[str, Any]]:
        """The sections of the report that there is so far."""
        given = self._object("report").get("sections", [])
        return [part for part in given if isinstance(part, dict) and "heading" in part]

    def _object(self, name: str) -> dict[str, Any]:
        given = self.conversation.data(name)
        return given if isinstance(given, dict) else {}

    def planned(self, name: str) -> list[str]:
        """Return a list that the plan gives."""
        given = self.plan.get(name)
        return [str(item) for item in given] if isinstance(given, list) else []

    @cached_property
    def feedback(self) -> str:
        """What humans asked to change."""
        said = (self.conversation.text("feedback"), self.conversation.text("steering"))
        return "\n".join(filter(None, said))

    @cached_property
    def places(self) -> list[str]:
        """The countries that it is about: the approved plan's, else what the user named first."""
        planned = meant(str(self.plan.get("geographical_scope", "")))
        if planned:
            return revised(planned, self.conversation.text("steering"))
        named = meant(self._where)
        goal = [place for place in places(str(self.plan.get("goal", ""))) if place not in named]
        return revised([*named, *goal], self.feedback)

    @cached_property
    def _where(self) -> str:
        """What says where: the question, else the answers, else what the idea is scoped to."""
        said = " ".join(answer for _, answer in self.answers)
        scope = str(self.startup.get("geographical_scope", ""))
        return next((text for text in (self.question, said, scope) if meant(text)), "")

    @cached_property
    def region(self) -> str:
        """The region that the countries stand for, if the user named no country."""
        found = regions(self._where)
        standing = {country for region in found for country in region.countries}
        is_all = set(meant(self._where)) <= standing and set(self.places) <= standing
        return listed(list(dict.fromkeys(r.name for r in found))) if found and is_all else ""

    @cached_property
    def subjects(self) -> list[str]:
        """The things that are set side by side."""
        return self.places or revised(self._compared, self.feedback)

    @cached_property
    def _compared(self) -> list[str]:
        return compared(self.question) if self.is_english else []

    @cached_property
    def is_english(self) -> bool:
        """Whether the question is in the one language that can be taken apart here."""
        return is_english(self.question)

    @cached_property
    def topic(self) -> str:
        """What is asked of them; in another language, the whole question."""
        if not self.is_english:
            return clip(self.question, LONGEST_TOPIC).strip(" ?!¿¡？")
        asked = (TIME.sub(" / ", text) for text in (self.question, self.followed))
        texts = (without_places(without_regions(text)) for text in asked)
        found = next(filter(None, (topic(text, self.subjects) for text in texts)), "")
        return found or listed(self.subjects) or clip(self.question, 60) or "the subject"

    @cached_property
    def wishes(self) -> list[str]:
        """What answers and feedback add to the subject, as short phrases; what counts most first."""
        is_brief = len(self.criterion.split()) <= LONGEST_WORDS
        first = [self.criterion.rstrip(".")] if self.criterion and is_brief else []
        told = [(q, a) for q, a in self.answers if a != self.followed]
        said = [a for q, a in told if not ASIDE.search(q) and a.rstrip(".") not in first]
        changes = without(self._compared, without_places("\n".join(added(self.feedback))))
        texts = [*changes.splitlines(), self.idea, *said, segment(self.question)]
        phrases = [*first, *(phrase for text in texts for phrase in wish(text))]
        own = {self.topic.lower(), *(subject.lower() for subject in self.subjects)}
        fresh = [p for p in dict.fromkeys(phrases) if p.lower() not in own and not places(p)]
        return [phrase for phrase in fresh if not self.is_dropped(phrase)]

    @cached_property
    def criterion(self) -> str:
        """What should count most, if the user said so."""
        return next((answer for asked, answer in self.answers if CRITERION.search(asked)), "")

    @cached_property
    def _dropped(self) -> list[set[str]]:
        return [found for topic in left_out(self.feedback) if (found := stems(topic))]

    def is_dropped(self, phrase: str) -> bool:
        """Tell whether a human asked to leave a topic out."""
        return any(dropped <= stems(phrase) for dropped in self._dropped)

    @cached_property
    def sources(self) -> list[Source]:
        """The numbered sources in order; where there are none, every other text that was given."""
        inputs = self.conversation.inputs
        numbered = [
            Source(int(m[1]), t) for name, t in inputs.items() if (m := NUMBERED.match(name))
        ]
        sent = [call.arguments for call in self.conversation.calls]
        numbered = [s if s.text.strip() else noted(s, sent) for s in numbered]
        if found := sorted(numbered, key=lambda source: source.number) or self.quoted:
            asked = self.places if self.followed else []
            return [source for source in found if is_of(source, asked)] or found
        rest = [text for name, text in inputs.items() if name not in NO_SOURCES and is_prose(text)]
        return [Source(number, text) for number, text in enumerate(rest, 1)]

    @cached_property
    def quoted(self) -> list[Source]:
        """The quotes that inputs hand over, as sources that say nothing else."""
        if self.conversation.reaches_out:
            return []
        return quoted(self.conversation.json)

    @cached_property
    def quotes(self) -> set[str]:
        """Every quote that inputs hand over: what others have told already."""
        return {p.text for source in quoted(self.conversation.json) for p in source.passages}

    @cached_property
    def own_steps(self) -> list[dict[str, Any]]:
        """The steps of the plan that are given beside it: this agent's own."""
        given = self.conversation.json.get("steps", [])
        return [step for step in given if isinstance(step, dict)]

    @cached_property
    def own_headings(self) -> list[str]:
        """What its own steps say is looked up: every `Name: measure, measure`, else every sentence."""
        said = (str(step.get("description") or step.get("name", "")) for step in self.own_steps)
        parts = [part.strip(" .") for text in said for part in SENTENCE.split(text)]
        return [part for part in parts if ":" in part] or [part for part in parts if part]

    @cached_property
    def phrases(self) -> list[str]:
        """What is wanted, in phrases: the topic, the wishes, then the headings' measures."""
        planned = self.own_headings or self.planned("outline") or self.planned("focus_areas")
        ranks = zip_longest(*map(measures_in, planned))
        parts = [part for rank in ranks for part in rank if part]
        own = {subject.lower() for subject in self.subjects}
        phrases = [self.topic, *self.wishes, *parts]
        return [p for p in dict.fromkeys(phrases) if p.strip() and p.lower() not in own]

    @cached_property
    def wanted(self) -> dict[str, float]:
        """How much each stem matters: the question's most, then the wishes', then the plan's."""
        own = subject_stems(" ".join(self.subjects))
        levels = ((self.phrases, 1.0), (self.wishes, 2.0), ([self.topic, self.question], 3.0))
        stems = ((s, weight) for texts, weight in levels for t in texts for s in subject_stems(t))
        return {s: weight for s, weight in stems if s not in own}


def is_prose(text: str) -> bool:
    """Tell whether an input is text to quote rather than data or a number."""
    return bool(text.strip()) and text.strip()[0] not in "[{" and not text.strip().isdecimal()


def wish(text: str) -> list[str]:
    """Return what a text asks for; one that states a time or a sum is about no subject."""
    is_short = len(text.split()) <= LONGEST_WORDS
    return [] if is_short and (states_time(text) or states_means(text)) else topics(text)
