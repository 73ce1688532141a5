"""`channels`: make, try, show and remove the channels through which a user is alerted of runs."""

from argparse import Namespace

from contracts.alerts import Delivery, NewChannel
from contracts.words import say
from greenlight.client import GatewayClient
from greenlight.errors import CommandError
from greenlight.terminal.commands.listings import print_rows
from greenlight.terminal.display import tables
from greenlight.terminal.stack_connection import open_gateway

PATH = "/v1/channels"
WAIT_SECONDS = 25


def channels(args: Namespace) -> int:
    """List, make, try, show or remove channels."""
    with open_gateway(args) as gateway:
        match args.action:
            case "add":
                return _add(gateway, args)
            case "test":
                return _report(gateway, f"{PATH}/{args.id}/test")
            case "replay":
                return _report(gateway, f"{PATH}/{args.id}/deliveries/{args.alert}/replay")
            case "remove":
                gateway.request("DELETE", f"{PATH}/{args.id}")
                print(say("en", "cli-channel-removed"))
                return 0
            case "log":
                rows = gateway.get(f"{PATH}/{args.id}/deliveries")["items"]
                return print_rows(args, rows, tables.draw_deliveries, say("en", "cli-nothing-sent"))
            case _:
                rows = gateway.get(PATH)["items"]
                return print_rows(args, rows, tables.draw_channels, say("en", "cli-no-channels"))


def _add(gateway: GatewayClient, args: Namespace) -> int:
    """Make a channel, and print its secret, which is shown only now."""
    body = {"kind": args.kind, "target": args.target, "name": args.name, "language": args.language}
    if args.events:
        body["events"] = args.events
    made = NewChannel.model_validate(gateway.request("POST", PATH, json=body).json())
    print(say("en", "cli-channel-made", id=made.id, command=f"channels test {made.id}"))
    if made.secret:
        print(say("en", "cli-channel-secret", secret=made.secret))
    return 0


def _report(gateway: GatewayClient, path: str) -> int:
    """Send an alert and print its outcome."""
    answer = gateway.request("POST", path, params={"wait": WAIT_SECONDS})
    sent = Delivery.model_validate(answer.json())
    if sent.status == "delivered":
        print(say("en", "cli-alert-delivered"))
        return 0
    if sent.failure:
        raise CommandError.of("cli-alert-failed", reason=sent.failure)
    print(say("en", "cli-alert-waits"))
    return 0
