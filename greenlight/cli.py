"""Command line; arguments are parsed first, so that only the command's own modules are imported."""

import gc
import os
import sys
from argparse import (
    ArgumentParser,
    BooleanOptionalAction,
    Namespace,
    RawDescriptionHelpFormatter,
)
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from contracts.words import LANGUAGES
from greenlight.argument_errors import CommandParser, PrintVersion, parse
from greenlight.argument_types import (
    FEATURE_NAMES,
    assignment,
    directory,
    feature,
    json_file,
    json_lines_file,
    number,
    phases,
    setting,
    whole_number,
)
from greenlight.bootstrap import COMMAND, IS_CLONE
from greenlight.errors import CommandError

CHANNEL_KINDS = ("webhook", "slack", "teams", "ntfy", "email")
ALERTS = ("run.waiting", "run.deadline_near", "run.cap_reached", "run.ended", "run.failed")
SEARCH_SERVICES = ("brave", "anthropic", "searxng", "tavily", "exa", "endpoint")
SCHEDULE_ACTIONS = {
    "show": "show a schedule's state, its next times and its newest runs",
    "pause": "start no run until it is resumed",
    "resume": "go on",
    "trigger": "start a run now",
    "remove": "remove a schedule; its runs stay",
}
KEY_SCOPES = ("ask", "decide", "approve", "admin", "payloads", "budgets")
DEPTHS = ("quick", "standard", "thorough")
PROVIDER_KEYS = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "BRAVE_API_KEY",
    "TAVILY_API_KEY",
    "EXA_API_KEY",
    "SEARXNG_URL",
    "SEARCH_ENDPOINT_URL",
    "SEARCH_ENDPOINT_KEY",
    "EMBEDDER_API_KEY",
    "OPENAI_API_KEY",
)
ABOUT = f"""Research that asks before it spends: it asks back, shows a plan with its price, and waits for you.

  {COMMAND} run "Is Brazil or Argentina better for wind power?"    in this terminal
  {COMMAND} up                                                     in the browser"""
DEFAULT_HOME = ".greenlight in this clone" if IS_CLONE else "~/.local/state/greenlight"
UP_NOTE = f"""environment variables:
  GREENLIGHT_HOME        where it keeps everything, passwords too (stack.json): {DEFAULT_HOME}
  GREENLIGHT_PORT        port of the page: 8460, or another one, which is printed, if that is taken
  ANTHROPIC_API_KEY      without it an offline stand-in answers, and nothing is billed

All but the home may stand in a file .env. Example: GREENLIGHT_PORT=9000 {COMMAND} up"""
DEFAULT_PACE = 0.5
RUNS = "greenlight.terminal.commands.runs"
DECISIONS = "greenlight.terminal.commands.decisions"
REPORTS = "greenlight.terminal.commands.reports"
LISTINGS = "greenlight.terminal.commands.listings"
DEVELOPMENT = "greenlight.development"
BENCH = "bench.command"

DEVELOPERS = (
    "test",
    "check",
    "chaos",
    "bench",
    "lock",
    "record-history",
    "screenshots",
    "docs",
    "build",
)
"""Commands that the short help only names; they need a clone."""
REMARKS = {
    "wrong": "a sentence of the report to put right",
    "outdated": "one to bring up to date",
    "more": "one to say more about",
}
"""Remarks on sentences that a follow-up heeds."""
RUN_NOTE = "RUN is a run's id, its beginning, or `last`. Options of a command: COMMAND --help"
RUN_HELP = "a run's id, its beginning, or `last`"

CommandAdder = Callable[..., ArgumentParser]


def main() -> None:
    """Run the command and exit with its code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(
            stream, TextIOWrapper
        ):  # regardless of the locale, since reports quote any script
            stream.reconfigure(encoding="utf-8", errors="replace")
    code = run_command(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # Temporal's client may abort while an interpreter shuts down


def run_command(words: Sequence[str]) -> int:
    """Run the typed command; return its exit code.

    Context managers in `args.entered`, such as a stack, exit after the result is printed.
    """
    try:
        with ExitStack() as entered:
            return _run_command(words, entered)
    except KeyboardInterrupt:
        return 130


def _run_command(words: Sequence[str], entered: ExitStack) -> int:
    try:
        args = parse(build_parser(), words or ["--help"])
        name = args.function.replace("_", "-")
        if name in DEVELOPERS and not IS_CLONE:
            raise CommandError.of("cli-needs-clone", command=name)
        asks_model = getattr(args, "judge", False) or getattr(args, "names", []) == ["quality"]
        if args.module in {DEVELOPMENT, BENCH} and not (asks_model and not args.replay):
            # Empty, not removed: a key in `.env` must not reach a test either.
            os.environ |= dict.fromkeys(PROVIDER_KEYS, "")
        gc.disable()  # imported modules are never freed
        command: Callable[[Namespace], int] = getattr(import_module(args.module), args.function)
        gc.enable()
        args.entered = entered
        code = command(args)
        sys.stdout.flush()
    except CommandError as error:
        print(f"greenlight: {error}", file=sys.stderr)
        return error.exit_code
    return code


def build_parser() -> ArgumentParser:
    """Build the parser."""
    root = CommandParser(
        prog=COMMAND,
        description=ABOUT,
        epilog=RUN_NOTE + (f"\nOf its developers: {', '.join(DEVELOPERS)}" if IS_CLONE else ""),
        formatter_class=RawDescriptionHelpFormatter,
    )
    root.add_argument("--version", action=PrintVersion, help="print the version")
    commands = root.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, summary: str, *arguments: str, module: str) -> ArgumentParser:
        """Add a command, with the module and function that runs it."""
        listed: dict[str, Any] = {} if name in DEVELOPERS else {"help": summary}
        command = commands.add_parser(name, description=summary, **listed)
        command.set_defaults(module=module, function=name.replace("-", "_"), parser=command)
        for argument in arguments:
            about = RUN_HELP if argument == "run" else None
            command.add_argument(argument, metavar=argument.upper(), help=about)
        return command

    _add_run(add)
    _add_messages(add)
    _add_views(add)
    _add_archives(add)
    _add_collections(add)
    _add_channels(add)
    _add_schedules(add)
    up = add("up", "start the stack and keep it running until Ctrl-C", module="greenlight.stack.up")
    up.formatter_class, up.epilog = RawDescriptionHelpFormatter, UP_NOTE
    about = "print one line of JSON when ready, without passwords"
    up.add_argument("--json", action="store_true", help=about)
    up.add_argument(
        "--no-browser", dest="browser", action="store_false", help="do not open the page"
    )
    _add_library(up)
    _add_installation(add)
    _add_operators(add)
    about = "serve MCP on standard input and output, for clients that start programs"
    served = add("mcp", about, module="greenlight.terminal.mcp_bridge")
    served.add_argument("--url", metavar="URL", help="another gateway than the stack's here")
    _add_development(add)
    return root


def _add_library(command: ArgumentParser) -> None:
    command.add_argument(
        "--library", type=directory, metavar="DIR", help="search your own documents"
    )
    command.add_argument(
        "--pace",
        type=number,
        metavar="SECONDS",
        help=f"how long the offline model takes over a streamed reply ({DEFAULT_PACE})",
    )


def _add_installation(add: CommandAdder) -> None:
    summary = "bring the database that DATABASE_URL names up to date"
    add("migrate", summary, module="greenlight.stack.database")
    about = "list what is installed when first used, or install it now"
    listed = add("features", about, module="greenlight.features")
    known = ", ".join(FEATURE_NAMES)
    listed.add_argument("names", nargs="*", metavar="FEATURE", type=feature, help=known)
    saved = add("backup", "save all that the running stack has", module="greenlight.stack.backup")
    keys = "with the signing key: whoever reads the backup can then sign decisions"
    saved.add_argument("--with-keys", action="store_true", help=keys)
    about = "restore a backup into an empty home, for the next start"
    restored = add("restore", about, module="greenlight.stack.restore")
    for command, told in ((saved, "a new one"), (restored, "one that `backup` wrote")):
        command.add_argument("folder", type=Path, metavar="DIR", help=told)


def _add_optional_word(command: ArgumentParser, name: str, about: str) -> None:
    """Add an optional word, which may follow options (`argument_errors`)."""
    command.add_argument(name, metavar=name.upper(), nargs="?", help=about)
    command.set_defaults(optional_word=name)


def _add_run(add: CommandAdder) -> None:
    run = add("run", "ask a question and follow it to the report", module=RUNS)
    _add_optional_word(run, "question", "with --from-run: that run's, if left out")
    run.add_argument(
        "--definition",
        metavar="ID",
        help="the way to research, see `definitions` (default: the default)",
    )
    _add_selection(run)
    run.add_argument("--input", type=assignment, action="append", default=[], metavar="NAME=VALUE")
    run.add_argument(
        "--file",
        type=Path,
        action="append",
        default=[],
        metavar="PATH",
        help="a document of your own, which is searched with the web",
    )
    run.add_argument(
        "--collection",
        action="append",
        default=[],
        metavar="NAME",
        help="a collection of yours, which is searched with the web; see `collections`",
    )
    run.add_argument("--user", default="local", metavar="ID")
    run.add_argument(
        "--startup", metavar="NAME", help="the startup this is about, by name or id; or none"
    )
    run.add_argument(
        "--save-startup",
        action=BooleanOptionalAction,
        help="have approving the plan keep a startup, or never offer it (as the way to research says)",
    )
    run.add_argument("--answers", type=json_file, metavar="FILE", help="answer from a JSON file")
    run.add_argument(
        "--search",
        metavar="SERVICES",
        default="",
        help=f"search services to ask, all at once: of {', '.join(SEARCH_SERVICES)}, comma-separated",
    )
    run.add_argument("--depth", choices=DEPTHS, help="how much is searched, read and reviewed")
    _add_terms(run)
    summary = "ask a finished run a further question, or correct its report"
    further = add("follow-up", summary, "run", module=RUNS)
    _add_optional_word(further, "question", "may be left out with remarks")
    for kind, about in REMARKS.items():
        further.add_argument(
            f"--{kind}", action="append", default=[], metavar="SENTENCE", help=about
        )
    _add_terms(further)
    summary = "answer a question from a finished report and its stored pages, without new research"
    _add_terms(add("ask", summary, "run", "question", module=RUNS))
    edit = add(
        "edit",
        "put a sentence of a finished report into other words",
        "run",
        "sentence",
        module=REPORTS,
    )
    _add_optional_word(edit, "text", "left out: the run's own sentence is restored")
    watch = add("watch", "follow a run, and answer what it asks", "run", module=RUNS)
    watch.set_defaults(yes=False, out=None)
    _add_library(watch)


def _add_selection(run: ArgumentParser) -> None:
    """Add what says which phases run, how, and what earlier runs give them."""
    for option, summary in (
        ("--only", "run these phases of it alone, by id or title, e.g. recall,plan"),
        ("--redo", "with --from-run: run these again, and what depends on them"),
    ):
        run.add_argument(option, type=phases, metavar="PHASE,PHASE", help=summary)
    run.add_argument("--until", metavar="PHASE", help="stop after this phase")
    run.add_argument(
        "--from-run", metavar="RUN", help="go on from a run: keep what its phases gave"
    )
    run.add_argument(
        "--fresh", action="store_true", help="research anew, whatever earlier runs gave"
    )
    run.add_argument(
        "--set",
        type=setting,
        action="append",
        default=[],
        metavar="PHASE.FIELD=VALUE",
        help="change a phase, e.g. research.max_sources=5 or summary.enabled=false",
    )


def _add_terms(command: ArgumentParser) -> None:
    """Add what a new run may cost, who answers, and where its results go."""
    command.add_argument("--yes", action="store_true", help="leave answers to us, approve the plan")
    command.add_argument(
        "--temp", action="store_true", help="remove the run a quarter of an hour after its end"
    )
    command.add_argument("--out", type=Path, metavar="DIR", help="write the results here")
    command.add_argument("--budget", type=number, metavar="USD", help="never spend more")
    command.add_argument(
        "--batch", action="store_true", help="for half the price: each call may take up to a day"
    )
    _add_library(command)


def _add_messages(add: CommandAdder) -> None:
    answer = add("answer", "answer a run's questions", "run", module=DECISIONS)
    answer.add_argument(
        "answers",
        type=assignment,
        nargs="*",
        metavar="QUESTION=TEXT",
        help="a choice's number, or words; e.g. q1=2",
    )
    answer.add_argument("--file", type=json_file, help="a JSON file of answers; null: you decide")

    approve = add("approve", "approve what a run shows", "run", module=DECISIONS)
    approve.add_argument("--plan-hash", metavar="HASH", help="the plan you saw; default: this one")
    approve.add_argument(
        "--choice", metavar="TEXT", help="one of the choices, where there are some"
    )
    approve.add_argument(
        "--depth", choices=DEPTHS, help="do the plan at this depth, whose price is shown with it"
    )
    approve.add_argument(
        "--cap",
        type=number,
        metavar="USD",
        help="with --choice raise: what the run may spend; default: what is offered",
    )
    approve.add_argument(
        "--keep-startup",
        action=BooleanOptionalAction,
        help="also keep the plan as a startup of yours, or not, where that is offered",
    )
    approve.add_argument(
        "--modifications", type=json_file, metavar="FILE", help="plan fields, as JSON"
    )

    reject = add(
        "reject", "reject the plan a run shows, which ends the run", "run", module=DECISIONS
    )
    revise = add(
        "revise", "have what a run shows done again in your words", "run", "text", module=DECISIONS
    )
    delegate = add("delegate", "delegate your vote in a decision", "run", module=DECISIONS)
    delegate.add_argument("to", metavar="USER")
    steer = add(
        "steer",
        "tell a run's agents what to heed from their next call on",
        "run",
        "text",
        module=RUNS,
    )
    pause = add("pause", "hold a run before its next call", "run", module=RUNS)
    resume = add("resume", "let a paused run go on", "run", module=RUNS)
    cancel = add("cancel", "end a run, and keep what it has", "run", module=RUNS)
    cancel.add_argument(
        "--after-phase", action="store_true", help="let the phases that are at work end first"
    )
    undo = add(
        "undo", "take back a change of the report while the run goes on", "run", module=REPORTS
    )
    undo.add_argument(
        "event",
        metavar="EVENT",
        type=whole_number,
        nargs="?",
        help="as `run` and `watch` number it; left out: lists the changes",
    )
    for command in (approve, reject):
        command.add_argument("--feedback", default="", metavar="TEXT")
    for command in (answer, approve, reject, revise, steer, pause, resume, cancel, undo):
        command.add_argument("--by", metavar="NAME", help="who says so")


def _add_views(add: CommandAdder) -> None:
    runs = add("runs", "list the runs", module=LISTINGS)
    runs.add_argument("--status")
    runs.add_argument("--limit", type=whole_number, default=20)
    sources = add("sources", "list what a run has read", "run", module=LISTINGS)
    about = "list the ways to research, or the phases of one"
    definitions = add("definitions", about, module=LISTINGS)
    _add_optional_word(definitions, "id", "left out: lists all")
    spend = add("spend", "list what was spent by day, way to research and model", module=LISTINGS)
    spend.add_argument("--since", metavar="DAY", help="as in 2026-01-31 (30 days ago)")
    spend.add_argument("--until", metavar="DAY", help="that day included (today)")
    startups = add("startups", "list the startups that are kept", module=LISTINGS)
    startups.add_argument("--user", metavar="ID")
    startups.add_argument("--delete", metavar="ID", help="forget one")
    for listing in (runs, sources, definitions, spend, startups):
        listing.add_argument("--json", action="store_true", help="print it as JSON")
    delete = add("delete", "remove a run that has ended, for good", "run", module=RUNS)
    delete.add_argument("--yes", action="store_true", help="without asking")
    compare = add("compare", "print what differs between two runs", module=LISTINGS)
    compare.add_argument("run", metavar="RUN")
    compare.add_argument("other", metavar="OTHER")
    report = add("report", "print a run's report, or write it into a file", "run", module=REPORTS)
    report.add_argument(
        "--at", type=whole_number, metavar="EVENT", help="as it stood after that event"
    )
    report.set_defaults(
        formats=("md", "json", "html", "pdf", "docx", "bib", "ris", "csl", "zip"),
        endings={"csl": "json"},
    )
    report.add_argument(
        "--format",
        choices=report.get_default("formats"),
        help="default: what the file's name says, else md; bib, ris and csl are its sources for"
        " reference managers, zip is a folder of Markdown with the pages that were read",
    )
    report.add_argument(
        "--no-appendix",
        action="store_false",
        dest="appendix",
        help="a copy to hand on, from answer to sources",
    )
    report.add_argument(
        "--out", type=Path, metavar="FILE", help="a file; left out: onto the screen"
    )


def _add_archives(add: CommandAdder) -> None:
    """Add what writes a run into a file, and what reads that file without a stack or a network."""
    module = "greenlight.terminal.commands.archives"
    archive = add("archive", "write an ended run into one file", "run", module=module)
    archive.add_argument("-o", "--out", type=Path, metavar="FILE", required=True)
    about = "check an archive: each byte, the log's chain, quotes, sums, approvals"
    verify = add("verify", about, module=module)
    verify.add_argument("--expect", default="", metavar="HASH", help="the hash it is to have")
    verify.add_argument(
        "--key",
        type=Path,
        metavar="FILE",
        help="a file with the GREENLIGHT_SIGNING_KEY of who wrote it: check its signature too",
    )
    replay = add("replay", "make the report of an archive again, and compare it", module=module)
    replay.add_argument("--out", type=Path, metavar="DIR", help="write the report here")
    for command in (verify, replay):
        command.add_argument("file", type=Path, metavar="FILE")


def _add_collections(add: CommandAdder) -> None:
    about = "list, fill, show or remove collections of documents, which runs can search"
    listed = add("collections", about, module="greenlight.terminal.commands.collections")
    actions = listed.add_subparsers(
        required=True, dest="action", metavar="list | add | show | remove"
    )
    known = actions.add_parser("list", help="list the collections, with how far each is read")
    put = actions.add_parser(
        "add", help="add files, and all documents of folders; what is there stays"
    )
    shown = actions.add_parser("show", help="list the documents of a collection")
    gone = actions.add_parser("remove", help="delete a collection, or documents of it, for good")
    for action in (put, shown, gone):
        action.add_argument("name", metavar="NAME")
    put.add_argument("paths", metavar="PATH", nargs="+", type=Path, help="a file or a folder")
    put.add_argument(
        "--no-wait", dest="wait", action="store_false", help="do not wait until they are read"
    )
    gone.add_argument("documents", metavar="DOCUMENT", nargs="*", help="left out: all of it")
    gone.add_argument("--yes", action="store_true", help="without asking")
    for action in (known, shown):
        action.add_argument("--json", action="store_true", help="print it as JSON")


def _add_channels(add: CommandAdder) -> None:
    about = "list, make, try or remove channels that tell you of your runs"
    listed = add("channels", about, module="greenlight.terminal.commands.channels")
    actions = listed.add_subparsers(
        required=True, dest="action", metavar="list | add | test | log | replay | remove"
    )
    known = actions.add_parser("list", help="list the channels")
    made = actions.add_parser("add", help="make a channel; a webhook's secret is shown once")
    tried = actions.add_parser("test", help="send a test through a channel")
    log = actions.add_parser("log", help="list what was sent through a channel")
    again = actions.add_parser("replay", help="send an alert of the log once more")
    gone = actions.add_parser("remove", help="remove a channel with its log")
    made.add_argument("kind", metavar="KIND", choices=CHANNEL_KINDS, help=", ".join(CHANNEL_KINDS))
    made.add_argument(
        "target",
        metavar="TARGET",
        help="its address; of ntfy with the topic; of email a mail address",
    )
    made.add_argument("--name", default="", metavar="NAME")
    made.add_argument("--language", default="en", choices=LANGUAGES)
    made.add_argument(
        "--event",
        dest="events",
        action="append",
        choices=ALERTS,
        metavar="EVENT",
        help=f"only this, repeatable: {', '.join(ALERTS)}",
    )
    for action in (tried, log, again, gone):
        action.add_argument("id", metavar="CHANNEL")
    again.add_argument("alert", metavar="ALERT")
    for action in (known, log):
        action.add_argument("--json", action="store_true", help="print it as JSON")


def _add_schedules(add: CommandAdder) -> None:
    about = "list, make, pause or remove schedules, which repeat an approved run"
    listed = add("schedules", about, module="greenlight.terminal.commands.schedules")
    actions = listed.add_subparsers(
        required=True,
        dest="action",
        metavar="list | add | show | pause | resume | trigger | backfill | remove",
    )
    known = actions.add_parser("list", help="list the schedules")
    known.add_argument("--json", action="store_true", help="print it as JSON")
    made = actions.add_parser("add", help="repeat a run whose plan was approved")
    made.add_argument("run", metavar="RUN")
    made.add_argument("--at", required=True, metavar="HH:MM", help="on the zone's clock")
    made.add_argument("--days", default="", metavar="mon,thu", help="left out: every day")
    made.add_argument("--zone", default="UTC", metavar="ZONE", help="e.g. Europe/Berlin")
    made.add_argument("--budget", type=number, metavar="USD", help="what each run may spend")
    made.add_argument(
        "--always", action="store_true", help="research each time, also where nothing is new"
    )
    made.add_argument("--overlap", default="skip", choices=("skip", "queue", "beside"))
    made.add_argument("--name", default="", metavar="NAME")
    for name, about in SCHEDULE_ACTIONS.items():
        actions.add_parser(name, help=about).add_argument("id", metavar="SCHEDULE")
    past = actions.add_parser("backfill", help="start the runs of a time of the past")
    past.add_argument("id", metavar="SCHEDULE")
    past.add_argument("start", metavar="START", help="e.g. 2026-11-01T00:00:00Z")
    past.add_argument("end", metavar="END")
    past.add_argument("--yes", action="store_true", help="without asking")


def _add_operators(add: CommandAdder) -> None:
    _add_keys(add)
    _add_budgets(add)
    _add_audit(add)


def _add_keys(add: CommandAdder) -> None:
    keys = add(
        "keys",
        "add, list or revoke API keys and share links",
        module="greenlight.operator.gateway_keys",
    )
    actions = keys.add_subparsers(required=True, dest="action", metavar="add | list | revoke")
    made = actions.add_parser("add", help="make a key and print it, once")
    made.add_argument("--user", required=True, metavar="NAME")
    made.add_argument("--role", default="", metavar="NAME", help="e.g. what approvers are named by")
    made.add_argument(
        "--scope",
        default="decide",
        choices=KEY_SCOPES,
        help="ask: decides nothing; decide: decides, through MCP by a link alone; approve: through MCP too; admin: also reads the audit log; payloads: reads what Temporal stores, by the codec server alone; budgets: sets budgets and decides nothing",
    )
    gone = actions.add_parser("revoke", help="end a key for good")
    gone.add_argument("id", metavar="ID")
    for action in (made, gone, actions.add_parser("list", help="list the keys and share links")):
        action.add_argument("--tenant", default="default", metavar="NAME")


def _add_audit(add: CommandAdder) -> None:
    about = "list or verify the log of who decided what"
    audit = add("audit", about, module="greenlight.operator.audit")
    actions = audit.add_subparsers(required=True, dest="action", metavar="list | verify")
    listed = actions.add_parser("list", help="list it, the oldest first")
    listed.add_argument(
        "--after", type=whole_number, default=0, metavar="N", help="entries after this one"
    )
    verified = actions.add_parser("verify", help="compare it with its hashes, and print its head")
    verified.add_argument(
        "--expect", default="", metavar="HASH", help="a head of before, to be in it"
    )
    for action in (listed, verified):
        action.add_argument("--tenant", default="default", metavar="NAME")


def _add_budgets(add: CommandAdder) -> None:
    about = "list or set what a tenant, a user or a key may spend by day and month"
    budgets = add("budgets", about, module="greenlight.operator.budgets")
    actions = budgets.add_subparsers(required=True, dest="action", metavar="set | remove | list")
    made = actions.add_parser("set", help="set a budget, in place of the one before")
    made.add_argument("--day", type=number, metavar="USD", help="by UTC day")
    made.add_argument("--month", type=number, metavar="USD", help="by calendar month, in UTC")
    gone = actions.add_parser("remove", help="limit it no longer")
    for action in (made, gone):
        whose = action.add_mutually_exclusive_group(required=True)
        whose.add_argument("--user", metavar="NAME")
        whose.add_argument("--key", metavar="ID", help="as `keys list` shows it")
        whose.add_argument("--all", action="store_true", help="of all users together")
    for action in (made, gone, actions.add_parser("list", help="list budgets and what is left")):
        action.add_argument("--tenant", default="default", metavar="NAME")


def _add_development(add: CommandAdder) -> None:
    test = add("test", "run the tests; whatever else is typed goes to pytest", module=DEVELOPMENT)
    test.add_argument("--all", action="store_true", help="the complete matrices too")
    test.add_argument(
        "--rerun", action="store_true", help="run failed tests once more, alone, and name the flaky"
    )
    check = add("check", "lint, format, types, import rules", module=DEVELOPMENT)
    check.add_argument(
        "--without-tests",
        action="store_true",
        help="leave out the rules that `test` checks as well",
    )
    chaos = add("chaos", "break things at random while runs go on", module=DEVELOPMENT)
    for option, default, about in (
        ("--seed", 0, "of the first campaign"),
        ("--runs", 10, "how many in all"),
        ("--batch", 10, "how many at the same time"),
    ):
        chaos.add_argument(option, type=whole_number, default=default, metavar="N", help=about)
    bench = add("bench", "measure", module=BENCH)
    bench.add_argument("names", nargs="*", metavar="NAME")
    folder, many = {"type": directory, "metavar": "DIR"}, {"action": "append", "default": []}
    kept, flag = {"type": Path, "metavar": "DIR"}, {"action": "store_true"}
    lines = {"type": json_lines_file, "metavar": "FILE"}
    options: dict[str, tuple[dict[str, Any], str]] = {
        "pages": (
            folder | many,
            "for `parsing`: pages and files to read; for `reading`: more cases; for `evidence`: the cited pages",
        ),
        "json": (flag, "of a measurement with a stack of its own: print JSON"),
        "judge": (
            flag,
            "for `evidence`, `semantic` and `evaluate`: ask your model what code leaves open",
        ),
        "questions": (
            lines,
            "for `quality`: starts; for `retrieval`, `evaluate` and `companies`: FinanceBench's questions",
        ),
        "replay": (
            kept,
            "for `quality` and `evaluate`: answers that were recorded; for `prices`: more of them",
        ),
        "record": (kept, "for `quality` and `evaluate`: where to keep the answers"),
        "library": (folder, "for `quality` and `evaluate`: what is searched"),
        "tasks": (folder, "for `evaluate`: a checkout of DeepResearch Bench"),
        "peers": (folder, "for `peers`: where other systems are installed, to run beside"),
        "facts": (folder, "for `companies`: a folder of EDGAR's JSON files"),
        "mutate": (
            flag,
            "for `companies`: put faults into the facts, and count figures shown wrong",
        ),
        "largest": (flag, "for `companies`: time and memory of a file of about 60 MB"),
        "only": (many, "for `peers` and `evaluate`: a question by its name"),
    }
    for name, (form, told) in options.items():
        bench.add_argument(f"--{name}", help=told, **form)
    add("lock", "compile the locks from pyproject.toml", module=DEVELOPMENT)
    add("record-history", "record the histories that the replay tests replay", module=DEVELOPMENT)
    draw = add("screenshots", "draw every view of the page", module="bench.page.screenshots")
    draw.add_argument("--formats", action="store_true", help="draw a report's formats alone")
    add("docs", "write the documents that are generated", module=DEVELOPMENT)
    build = add("build", "build the wheel, with its SBOM", module="greenlight.packaging.build")
    build.add_argument(
        "--out", type=Path, default=Path("dist"), metavar="DIR", help="default: dist"
    )


if __name__ == "__main__":  # in an image, whose environment is installed from its own lock
    main()
