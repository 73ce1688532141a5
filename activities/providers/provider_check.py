"""Check that the providers a run needs accept its key, model and contact, before anything is asked or paid."""

import asyncio
from typing import TYPE_CHECKING

from contracts.errors import ErrorInfo, FactsRefused, ModelRejected
from contracts.runs.start import ProvidersNeeded

if TYPE_CHECKING:
    from activities.company.edgar import Edgar
    from activities.integrations.models.model_client import ModelClient


class ProviderCheck:
    """Checks whether providers would refuse a run's calls; outages do not count."""

    def __init__(self, models: "ModelClient", edgar: "Edgar") -> None:
        self._models = models
        self._edgar = edgar

    async def find_refusal(self, needed: ProvidersNeeded) -> ErrorInfo | None:
        """Return the first refusal of what the run needs; None if all accept or are unreachable."""
        try:
            if needed.filings:
                self._edgar.require_contact()
            await asyncio.gather(*map(self._models.check, needed.models))
        except (ModelRejected, FactsRefused) as error:
            return ErrorInfo.of(error)
        return None
