"""A next release of the product: a copy of its tree with another prompt, another phase and further optional fields."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from greenlight.bootstrap import ROOT

PROMPT = "Release next: a prompt of its own."
PATCH = "next-waits-first"
RELEASE = "next"

ROOMS = ("activities", "contracts", "domain", "store", "temporal", "workflows")
MODULES = ("settings.py", "worker.py", "pyproject.toml", "requirements-later.json")


@dataclass(frozen=True)
class Change:
    """A replacement of text in a file by the next release."""

    path: str
    old: str
    new: str

    def apply(self, tree: Path) -> None:
        file = tree / self.path
        text = file.read_text(encoding="utf-8")
        assert text.count(self.old) == 1, f"{self.path} has no longer one {self.old!r}"
        file.write_text(text.replace(self.old, self.new), encoding="utf-8")


CHANGES = (
    Change(
        "workflows/prompts/research.md",
        "You carry out a research plan that a human approved, and write down",
        f"{PROMPT} You carry out a research plan that a human approved, and write down",
    ),
    Change(
        "workflows/phases/research.py",
        "    plan = run.humans.require_approved_plan()\n",
        "    from temporalio import workflow\n\n"
        f"    if workflow.patched({PATCH!r}):\n        await workflow.sleep(0.01)\n"
        "    plan = run.humans.require_approved_plan()\n",
    ),
    # Part of an approval: the hash equals the previous release's while the field is empty.
    Change(
        "contracts/planning/plan.py",
        "    not_held: list[Note] = Field(\n",
        '    audience: Text = Field(default="", exclude_if=lambda said: not said)\n'
        "    not_held: list[Note] = Field(\n",
    ),
    # Part of the run's state, which the previous release's gateway shows.
    Change(
        "contracts/runs/state.py",
        "    paused: bool = False\n",
        f'    release: str = "{RELEASE}"\n    paused: bool = False\n',
    ),
    Change(
        "contracts/runs/state_view.py",
        "    shortfalls: list[Notice] = Field(\n",
        '    release: str = ""\n    shortfalls: list[Notice] = Field(\n',
    ),
    Change(
        "workflows/runtime/state_view.py",
        "        run_id=state.run_id,\n        definition_id=",
        "        run_id=state.run_id,\n        release=state.release,\n        definition_id=",
    ),
    # Part of the record: reports, sources, decisions.
    Change(
        "contracts/report/report.py",
        "    answer: Section | None = code_fills(\n",
        f'    release: str = code_fills("{RELEASE}", "")\n'
        "    answer: Section | None = code_fills(\n",
    ),
    Change(
        "contracts/evidence/sources.py",
        "    text_key: BlobKey = Field(\n        description=",
        f'    release: str = "{RELEASE}"\n    text_key: BlobKey = Field(\n        description=',
    ),
    Change(
        "contracts/human/checkpoints.py",
        '    """A human\'s decision at a checkpoint, or the default that its deadline took."""\n',
        '    """A human\'s decision at a checkpoint, or the default that its deadline took."""\n\n'
        f'    release: str = "{RELEASE}"\n',
    ),
    # What a human's event says.
    Change(
        "contracts/runs/events.py",
        '    by: str = ""\n    key_id: KeyId = None\n',
        f'    by: str = ""\n    release: str = "{RELEASE}"\n    key_id: KeyId = None\n',
    ),
)


def build_next_release(tree: Path) -> Path:
    """Copy what a worker runs into a folder, and change it."""
    for room in ROOMS:
        shutil.copytree(ROOT / room, tree / room)
    for module in MODULES:
        shutil.copy2(ROOT / module, tree / module)
    for change in CHANGES:
        change.apply(tree)
    return tree


def run_in(tree: Path, argv: list[str]) -> list[str]:
    """Return a command line that runs in a folder, with modules from that folder."""
    return ["env", f"--chdir={tree}", *argv]
