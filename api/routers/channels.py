"""Channels through which users are alerted of their runs."""

import asyncio
from typing import Annotated

from fastapi import Query

from api.access.auth import DEFAULT_USER, Caller, Decider, require_key
from api.dependencies import Deps
from api.errors import responses
from api.json_bodies import Router
from contracts.access.principal import Principal
from contracts.alerts import (
    Channel,
    ChannelBody,
    ChannelChange,
    ChannelRef,
    Delivery,
    NewChannel,
)
from contracts.base import Name, Page
from contracts.errors import InvalidInput
from contracts.problems import Problem
from domain.alerts.targets import find_fault

router = Router(prefix="/v1/channels", tags=["channels"], responses=responses(403, 404, 422, 503))

POLL_SECONDS = 0.1
Outcome = Annotated[
    float, Query(ge=0, le=30, description="seconds to wait until it is sent or has failed")
]


@router.get("")
async def list_channels(caller: Caller, deps: Deps) -> Page[Channel]:
    """Return the caller's channels, the oldest first."""
    return Page(items=await deps.alerting.channels.list(caller))


@router.post("", status_code=201, responses=responses(409))
async def create_channel(caller: Decider, body: ChannelBody, deps: Deps) -> NewChannel:
    """Create an alert channel for the caller; its secret is only shown now.

    Alerts about plans contain links that approve them, so keys that may not decide cannot create channels.
    """
    require_key(caller, "channel-needs-key")
    _check_target(body, sends_mail=deps.alerting.sends_mail)
    return await deps.alerting.channels.create(caller, caller.user_id or DEFAULT_USER, body)


@router.put("/{channel_id}")
async def change_channel(
    caller: Caller, channel_id: Name, body: ChannelChange, deps: Deps
) -> Channel:
    """Change which alerts a channel gets; `enabled` also reverts its receiver's disabling."""
    changed = await deps.alerting.channels.change(caller, channel_id, body)
    await _wake(deps, caller, channel_id)
    return changed


@router.delete("/{channel_id}", status_code=204)
async def delete_channel(caller: Caller, channel_id: Name, deps: Deps) -> None:
    """Delete a channel with its log; decision links that were sent through it are void."""
    await deps.alerting.channels.delete(caller, channel_id)


@router.get("/{channel_id}/deliveries")
async def list_deliveries(caller: Caller, channel_id: Name, deps: Deps) -> Page[Delivery]:
    """Return the channel's last hundred alerts and their outcomes, newest first."""
    await deps.alerting.channels.get(caller, channel_id)
    return Page(items=await deps.alerting.alerts.list_log(caller, channel_id))


@router.post("/{channel_id}/test", status_code=202, responses=responses(429))
async def send_test(caller: Caller, channel_id: Name, deps: Deps, wait: Outcome = 0) -> Delivery:
    """Send a test through a channel, after its waiting alerts."""
    deps.alerting.tests.take((caller.tenant_id, caller.user_id))
    queued = await deps.alerting.alerts.queue_test(caller, channel_id)
    await _wake(deps, caller, channel_id)
    return await _wait_for(deps, caller, channel_id, queued, wait)


@router.post("/{channel_id}/deliveries/{alert_id}/replay", status_code=202)
async def replay_delivery(
    caller: Caller, channel_id: Name, alert_id: Name, deps: Deps, wait: Outcome = 0
) -> Delivery:
    """Send an alert again under the same id, or send a waiting one at once."""
    queued = await deps.alerting.alerts.replay(caller, channel_id, alert_id)
    await _wake(deps, caller, channel_id)
    return await _wait_for(deps, caller, channel_id, queued, wait)


async def _wake(deps: Deps, caller: Principal, channel_id: str) -> None:
    await deps.alerting.courier.wake(
        [ChannelRef(tenant_id=caller.tenant_id, channel_id=channel_id)]
    )


async def _wait_for(
    deps: Deps, caller: Principal, channel_id: str, queued: Delivery, seconds: float
) -> Delivery:
    """Return an alert once it was tried, or when time is up."""
    end = asyncio.get_running_loop().time() + seconds
    while queued.status == "queued" and not queued.attempts:
        if asyncio.get_running_loop().time() >= end:
            break
        await asyncio.sleep(POLL_SECONDS)
        queued = await deps.alerting.alerts.get_delivery(caller, channel_id, queued.id)
    return queued


def _check_target(body: ChannelBody, *, sends_mail: bool) -> None:
    """Refuse an address that the channel's kind cannot be sent to."""
    if fault := find_fault(body.kind, body.target):
        raise InvalidInput(Problem.told("target", fault))
    if body.kind == "email" and not sends_mail:
        raise InvalidInput(Problem.at("kind", "mail-unset"))
