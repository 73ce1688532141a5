"""Command line: parsed first, so that only the command's own modules are imported."""

import json
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction, Namespace
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from greenlight.errors import CommandError

PROVIDER_KEYS = (
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "BRAVE_API_KEY",
    "EMBEDDER_API_KEY",
    "OPENAI_API_KEY",
)
DEFAULT_PACE = 0.5
TERMINAL = "greenlight.terminal.commands"
DEVELOPMENT = "greenlight.development"
BENCH = "bench.measurements"

CommandAdder = Callable[..., ArgumentParser]


def main() -> None:
    """Run the command and exit with its code."""
    parser = build_parser()
    args, rest = parser.parse_known_args()
    if args.function == "test":
        args.pytest = rest
    elif rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    asks_model = getattr(args, "judge", False) or getattr(args, "names", []) == ["quality"]
    if args.module in {DEVELOPMENT, BENCH} and not (asks_model and not args.replay):
        # Empty, not removed: a key in `.env` must not reach a test either.
        os.environ |= dict.fromkeys(PROVIDER_KEYS, "")
    code = run_command(args)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)  # Temporal's client may abort while an interpreter shuts down


def run_command(args: Namespace) -> int:
    """Run a parsed command; return its exit code."""
    try:
        command: Callable[[Namespace], int] = getattr(import_module(args.module), args.function)
        return command(args)
    except CommandError as error:
        print(f"greenlight: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130


def build_parser() -> ArgumentParser:
    """Build the parser."""
    root = ArgumentParser(
        prog="python3 -m greenlight", description="Research that asks before it spends."
    )
    commands = root.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, summary: str, *arguments: str, module: str = TERMINAL) -> ArgumentParser:
        """Add a command, with the module and function that runs it."""
        command = commands.add_parser(name, help=summary, description=summary)
        command.set_defaults(module=module, function=name.replace("-", "_"))
        for argument in arguments:
            command.add_argument(argument, metavar=argument.upper())
        return command

    up = add("up", "start the stack and keep it running until Ctrl-C", module="greenlight.stack.up")
    up.add_argument("--json", action="store_true", help="print one line of JSON when ready")
    _add_library(up)
    summary = "bring the database that DATABASE_URL names up to date"
    add("migrate", summary, module="greenlight.stack.up")
    _add_run(add)
    _add_messages(add)
    _add_views(add)
    _add_keys(add)
    _add_development(add)
    return root


def _add_library(command: ArgumentParser) -> None:
    command.add_argument(
        "--library", type=_directory, metavar="DIR", help="search your own documents"
    )
    command.add_argument(
        "--pace",
        type=float,
        default=DEFAULT_PACE,
        metavar="SECONDS",
        help="how long the offline model takes over a streamed reply (%(default)s)",
    )


def _add_run(add: CommandAdder) -> None:
    run = add("run", "ask a question and follow it to the report", "question")
    run.add_argument(
        "--definition", default="default", metavar="ID", help="what to run (the default definition)"
    )
    run.add_argument("--input", type=_assignment, action="append", default=[], metavar="NAME=VALUE")
    run.add_argument("--user", default="local", metavar="ID")
    run.add_argument("--startup", metavar="ID", help="the startup this is about")
    run.add_argument(
        "--save-startup",
        action=BooleanOptionalAction,
        help="keep a new startup once the plan is approved, or not (as the definition says)",
    )
    run.add_argument(
        "--fresh", action="store_true", help="research anew, whatever earlier runs gave"
    )
    run.add_argument("--answers", type=_json_file, metavar="FILE", help="answer from a JSON file")
    summary = "ask a finished run a further question, or correct its report"
    more = add("follow-up", summary, "run", "question")
    for command in (run, more):
        command.add_argument(
            "--yes", action="store_true", help="leave answers to us, approve the plan"
        )
        command.add_argument(
            "--temp", action="store_true", help="remove the run a quarter of an hour after its end"
        )
        command.add_argument("--out", type=Path, metavar="DIR", help="write the results here")
        command.add_argument("--budget", type=float, metavar="USD", help="never spend more")
        _add_library(command)


def _add_messages(add: CommandAdder) -> None:
    answer = add("answer", "answer a run's questions", "run")
    answer.add_argument("answers", type=_assignment, nargs="*", metavar="QUESTION=TEXT")
    answer.add_argument("--file", type=_json_file, help="a JSON file of answers; null: you decide")

    approve = add("approve", "approve what a run shows", "run")
    approve.add_argument("--plan-hash", metavar="HASH", help="the plan you saw; default: this one")
    approve.add_argument(
        "--choice", metavar="TEXT", help="one of the choices, where there are some"
    )
    approve.add_argument(
        "--modifications", type=_json_file, metavar="FILE", help="plan fields, as JSON"
    )

    reject = add("reject", "reject the plan a run shows, which ends the run", "run")
    delegate = add("delegate", "delegate your vote in a decision", "run")
    delegate.add_argument("to", metavar="USER")
    undo = add("undo", "take back a change of the report while the run goes on", "run")
    undo.add_argument("event", metavar="EVENT", type=int, help="as `run` and `watch` number it")
    for command in (approve, reject):
        command.add_argument("--feedback", default="", metavar="TEXT")
    for command in (answer, approve, reject, undo):
        command.add_argument("--by", metavar="NAME", help="who says so")


def _add_views(add: CommandAdder) -> None:
    watch = add("watch", "follow a run, and answer what it asks", "run")
    watch.set_defaults(yes=False, out=None)
    _add_library(watch)
    runs = add("runs", "list the runs")
    runs.add_argument("--status")
    runs.add_argument("--limit", type=int, default=20)
    runs.add_argument("--json", action="store_true")
    add("delete", "remove a run that has ended, for good", "run")
    compare = add("compare", "print what differs between two runs")
    compare.add_argument("run", metavar="A")
    compare.add_argument("other", metavar="B")
    report = add("report", "print a run's report, or write it into a file", "run")
    report.add_argument("--at", type=int, metavar="EVENT", help="as it stood after that event")
    report.add_argument("--format", choices=("md", "json", "html", "pdf", "docx"), default="md")
    report.add_argument("--out", type=Path, metavar="FILE", help="where to; default: here")


def _add_keys(add: CommandAdder) -> None:
    keys = add("keys", "add, list or revoke API keys of the gateway", module="greenlight.api_keys")
    actions = keys.add_subparsers(required=True, dest="action", metavar="add | list | revoke")
    made = actions.add_parser("add", help="make a key and print it, once")
    made.add_argument("--user", required=True, metavar="NAME")
    made.add_argument("--role", default="", metavar="NAME", help="e.g. what approvers are named by")
    gone = actions.add_parser("revoke", help="end a key for good")
    gone.add_argument("id", metavar="ID")
    for action in (made, gone, actions.add_parser("list", help="list the keys")):
        action.add_argument("--tenant", default="default", metavar="NAME")


def _add_development(add: CommandAdder) -> None:
    test = add("test", "run the tests; whatever else is typed goes to pytest", module=DEVELOPMENT)
    test.add_argument("--all", action="store_true", help="the complete matrices too")
    add("check", "lint, format, types, import rules", module=DEVELOPMENT)
    bench = add("bench", "measure", module=BENCH)
    bench.add_argument("names", nargs="*", metavar="NAME")
    bench.add_argument(
        "--pages",
        type=_directory,
        action="append",
        default=[],
        metavar="DIR",
        help="for `parsing`: pages and files to read; for `evidence`: the cited pages",
    )
    bench.add_argument(
        "--json", action="store_true", help="of `evidence`, `semantic` and `quality`: print JSON"
    )
    bench.add_argument(
        "--judge",
        action="store_true",
        help="for `evidence` and `semantic`: ask your model what code leaves open",
    )
    bench.add_argument(
        "--questions", type=_json_file, metavar="FILE", help="for `quality`: a list of starts"
    )
    bench.add_argument(
        "--replay", type=Path, metavar="DIR", help="for `quality`: answers that were recorded"
    )
    bench.add_argument(
        "--record", type=Path, metavar="DIR", help="for `quality`: where to keep the answers"
    )
    bench.add_argument(
        "--library", type=_directory, metavar="DIR", help="for `quality`: what is searched"
    )
    add("lock", "compile the locks from pyproject.toml", module=DEVELOPMENT)
    add("record-history", "record the histories that the replay tests replay", module=DEVELOPMENT)
    add("docs", "write the documents that are generated", module=DEVELOPMENT)


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    return name, value


def _json_file(text: str) -> object:
    try:
        return json.loads(Path(text).read_text("utf-8"))
    except OSError as error:
        raise ArgumentTypeError(f"{text}: {error.strerror}") from error
    except ValueError as error:
        raise ArgumentTypeError(f"{text} is not JSON: {error}") from error


def _directory(text: str) -> Path:
    path = Path(text).expanduser().absolute()
    if not (text and path.is_dir()):
        raise ArgumentTypeError(f"{text!r} is not a directory")
    return path


if __name__ == "__main__":  # in an image, whose environment is made by its own lock
    main()
