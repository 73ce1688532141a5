"""Verifies an archive: its hashes, the chain of its log, its quotes, its sums, and who approved what."""

import hashlib
import hmac
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from api.runs.ended_run import EndedRun
from contracts.archive import CALLS, EVENTS, RUN, name_page
from contracts.evidence.claims import Citation, Claim
from contracts.human.checkpoints import Decision
from contracts.notices import Notice
from contracts.runs.events import DecidedEvent
from contracts.runs.state_view import StateView
from domain.decision_seals import Sealer
from domain.evidence.claims import find_claims
from domain.evidence.figures.expression_check import recomputes
from greenlight.archives.archive_reader import Archive, ArchiveError, parse_json
from greenlight.archives.archived_run import name_broken, read_events, read_run
from workflows.checkpoints.approval_gate import is_approval

MAX_FINDINGS = 20
"""Findings of a kind that are named; the rest are counted."""
SHOWN_CHARS = 80


@dataclass
class ArchiveFindings:
    """The faults found, and the number of checked items."""

    findings: list[Notice] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, code: str, **params: str | int) -> None:
        """Record a fault."""
        self.counts[code] += 1
        if self.counts[code] <= MAX_FINDINGS:
            self.findings.append(Notice.of(code, "error", **params))

    def count_hidden(self) -> int:
        """Return how many findings are counted and not named."""
        codes = Counter(finding.code for finding in self.findings)
        return sum(
            self.counts[code] - named for code, named in codes.items() if code in self.counts
        )


def verify(archive: Archive, expect: str = "", secret: str = "") -> ArchiveFindings:
    """Verify an archive: every byte, and everything it claims.

    `expect` is the beginning of the expected hash, `secret` the key of the installation that signed it.
    """
    found = ArchiveFindings()
    if not archive.is_sealed:
        found.add("archive-unsealed")
    if expect and not archive.digest.startswith(expect.lower()):
        found.add("archive-unexpected", expected=expect, digest=archive.digest)
    if secret:
        _check_signature(archive, secret, found)
    try:
        _check_entries(archive, found)
        decided = _check_chain(archive, found)
        run = read_run(archive)
        with name_broken(RUN):
            _check_run(archive, run, decided, found)
    except ArchiveError as error:
        found.findings.append(error.notice)
    return found


def _check_signature(archive: Archive, secret: str, found: ArchiveFindings) -> None:
    if archive.signature is None:
        found.add("archive-unsigned")
        return
    expected = Sealer(secret).sign_archive(archive.digest)
    if not hmac.compare_digest(archive.signature.mac.encode(), expected.encode()):
        found.add("archive-signature-wrong")


def _check_entries(archive: Archive, found: ArchiveFindings) -> None:
    for entry in archive.manifest.entries:
        try:
            size, digest = archive.measure(entry)
        except ArchiveError as error:
            found.findings.append(error.notice)
            continue
        own = entry.name.rpartition("/")[2]
        is_named = "/" not in entry.name or own == digest
        if (size, digest) != (entry.bytes, entry.sha256) or not is_named:
            found.add("archive-entry-altered", name=entry.name)
        found.counts["entries"] += 1


def _check_chain(archive: Archive, found: ArchiveFindings) -> set[str]:
    """Check the hash of each event; return the names of the decisions that the log has."""
    last, seq, decided = b"", 0, set()
    for seq, event in enumerate(read_events(archive), start=1):
        digest = hashlib.sha256(last + event.text)
        if digest.hexdigest() != event.digest:
            found.add("archive-event-altered", seq=seq)
        last = event.read_digest() or digest.digest()  # so that only this event is reported
        if b'"HumanResponseEvent"' in event.text:
            payload = event.parse().get("payload")
            if isinstance(payload, dict) and "action" in payload:
                with name_broken(EVENTS):
                    decided.add(_name(DecidedEvent.model_validate(payload)))
    chain = archive.manifest.chain
    if (seq, last.hex()) != (chain.events, chain.head):
        found.add("archive-chain-cut", n=seq, events=chain.events)
    found.counts["events"] = seq
    return decided


def _check_run(archive: Archive, run: EndedRun, decided: set[str], found: ArchiveFindings) -> None:
    manifest, row = archive.manifest, run.row
    if (row.run_id, row.status, row.last_seq) != (
        manifest.run_id,
        manifest.status,
        manifest.chain.events,
    ):
        found.add("archive-rows-differ")
    claims = [claim for phase in run.phases for claim in find_claims(phase.output)]
    _check_quotes(archive, run, claims, found)
    for claim in claims:
        if claim.working:
            found.counts["sums"] += 1
            if not recomputes(claim):
                found.add("archive-sum-wrong", working=claim.working[:SHOWN_CHARS])
    _check_decisions(archive, run, decided, found)


def _check_quotes(
    archive: Archive, run: EndedRun, claims: list[Claim], found: ArchiveFindings
) -> None:
    """Check that each located quote is at its offset in its page, one page at a time."""
    cited = defaultdict[str, list[Citation]](list)
    for citation in (citation for claim in claims for citation in claim.citations):
        if citation.start < 0:
            continue
        if not 0 < citation.source <= len(run.sources):
            found.add("archive-source-unknown", source=citation.source)
            continue
        cited[name_page(run.sources[citation.source - 1].text_key)].append(citation)
    for name, citations in cited.items():
        if not archive.has(name):
            if name not in archive.manifest.missing:
                found.add("archive-lacks", name=name)
            found.counts["unchecked"] += len(citations)
            continue
        text = archive.read(name).decode(errors="replace")
        for citation in citations:
            found.counts["quotes"] += 1
            if text[citation.start : citation.end] != citation.quote:
                found.add("archive-quote-wrong", quote=citation.quote[:SHOWN_CHARS], page=name)


def _check_decisions(
    archive: Archive, run: EndedRun, decided: set[str], found: ArchiveFindings
) -> None:
    """Check that the log has the decisions, that the plan has its hash, and that the web was reached with leave."""
    state = StateView.model_validate(run.row.snapshot)
    found.counts["decisions"] = len(state.decisions)
    for decision in state.decisions:
        # A start with consent is a decision that run.json alone has.
        if not (decision.scope or _name(decision) in decided):
            found.add("archive-decision-unlogged", checkpoint=decision.checkpoint_id)
    if state.plan and state.plan.hash != state.plan_hash:
        found.add("archive-plan-altered", digest=state.plan.hash)
    approved = {d.plan_hash for d in state.decisions if is_approval(d)}
    is_approved = bool(state.plan and state.plan.hash in approved)
    has_consent = any(decision.scope for decision in state.decisions)
    if _reaches_web(archive, found) and not (is_approved or has_consent):
        found.add("archive-unapproved")


def _name(decision: Decision) -> str:
    """Return a digest that identifies a decision: the decision itself may be long."""
    told = decision.model_dump_json(include={"checkpoint_id", "action", "plan_hash", "by", "at"})
    return hashlib.sha256(told.encode(errors="replace")).hexdigest()


def _reaches_web(archive: Archive, found: ArchiveFindings) -> bool:
    """Return whether the journal has a search or a page that was read."""
    reaches = False
    for line in archive.read_lines(CALLS):
        with name_broken(CALLS):
            call = parse_json(CALLS, line)
            reaches |= call["kind"] == "search" or "content_hash" in (call["result"] or {})
        found.counts["calls"] += 1
    return reaches
