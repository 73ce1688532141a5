"""The one activity through which a workflow speaks to a model."""

import logging
from typing import TYPE_CHECKING

from temporalio import activity

from contracts.agents.tools import UPDATE_REPORT
from contracts.errors import GreenlightError
from contracts.evidence.sources import CheckedResult, Claim
from contracts.models.call import ModelRequest, ModelResult
from domain.evidence.statements import stated

if TYPE_CHECKING:
    from activities.calls.model_gateway import ModelGateway
    from activities.citations import CitationActivities

logger = logging.getLogger(__name__)


class ModelActivities:
    """Hands requests to the gateway, which journals, prices and validates."""

    def __init__(self, gateway: "ModelGateway", citations: "CitationActivities") -> None:
        self._gateway = gateway
        self._citations = citations

    @activity.defn(name="models.call")
    async def call(self, request: ModelRequest) -> CheckedResult:
        """Make one call, or return what the same call gave before.

        What the answer claims is checked here where nothing else is to be done meanwhile: that
        spares an activity. Claims left unchecked are checked by `citations.check`.
        """
        result = await self._gateway.call(request)
        claims = _claims(request, result)
        try:
            found = await self._citations.judge(claims, request.pages) if claims else []
        except GreenlightError as error:
            logger.warning("an answer is checked apart from its call: %s", error)
            claims, found = [], []
        return CheckedResult(**dict(result), checked=list(zip(claims, found, strict=True)))


def _claims(request: ModelRequest, result: ModelResult) -> list[Claim]:
    """Return what an answer says, if saying it is all it does; of pages unknown here, nothing."""
    calls = [block for block in result.content if block.type == "tool_use"]
    if any(call.name != UPDATE_REPORT for call in calls):
        return []
    known = {page.number for page in request.pages}
    claims = stated([*(call.input for call in calls), result.output]) if known else ()
    return [claim for claim in claims if known.issuperset(c.source for c in claim.citations)]
