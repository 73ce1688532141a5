"""The last pass over a living report: an agent that has every page and changes it bit by bit."""

from temporalio.exceptions import ActivityError

from contracts.models.call import Input
from contracts.phases.synthesis import SynthesisConfig
from contracts.report.research import Plan, Report
from workflows.agents.agent import EXCUSED, Agent, AgentSpec
from workflows.agents.report_editor import Reviser
from workflows.agents.toolbox import Toolbox
from workflows.prompts import synthesis as prompts
from workflows.runtime.context import PhaseContext

ROLE = "synthesizer"


async def completed(run: PhaseContext, config: SynthesisConfig, inputs: list[Input]) -> Report:
    """Return the living report after the last pass; what is written stands, however that ends."""
    reviser = Reviser.of(run, run.need_as("plan", Plan), config.max_report_update_size)
    spec = AgentSpec(
        role=ROLE,
        system="\n".join(filter(None, (prompts.LIVING, config.instructions))),
        inputs=[*inputs, *reviser.shown()],
        output=None,
        max_turns=config.max_turns,
        max_tokens=config.max_report_tokens,
    )
    try:
        await Agent(run, spec, Toolbox(run, ROLE, reviser=reviser)).work()
    except ActivityError as error:
        info = run.fail_info(error)
        if info.type not in EXCUSED or not run.state.patches:
            raise
        run.warn(f"the last pass ended early ({info.message}); the report stands as it is")
    return reviser.report
