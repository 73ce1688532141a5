"""`channels`: make, try, show and remove the channels through which a user is alerted of runs."""

from argparse import Namespace

from contracts.alerts import Delivery, NewChannel
from greenlight.client import GatewayClient
from greenlight.errors import CommandError
from greenlight.terminal.commands.listings import print_rows
from greenlight.terminal.display import tables
from greenlight.terminal.stack_connection import open_gateway

PATH = "/v1/channels"
EMPTY = "no channels yet; make one: channels add webhook https://…"
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
                print("Removed.")
                return 0
            case "log":
                rows = gateway.get(f"{PATH}/{args.id}/deliveries")["items"]
                return print_rows(args, rows, tables.draw_deliveries, "nothing was sent yet")
            case _:
                return print_rows(args, gateway.get(PATH)["items"], tables.draw_channels, EMPTY)


def _add(gateway: GatewayClient, args: Namespace) -> int:
    """Make a channel, and print its secret, which is shown only now."""
    body = {"kind": args.kind, "target": args.target, "name": args.name, "language": args.language}
    if args.events:
        body["events"] = args.events
    made = NewChannel.model_validate(gateway.request("POST", PATH, json=body).json())
    print(f"Made {made.id}. Try it: channels test {made.id}")
    if made.secret:
        print(f"Its secret, shown only now: {made.secret}")
    return 0


def _report(gateway: GatewayClient, path: str) -> int:
    """Send an alert and print its outcome."""
    answer = gateway.request("POST", path, params={"wait": WAIT_SECONDS})
    sent = Delivery.model_validate(answer.json())
    if sent.status == "delivered":
        print("Delivered.")
        return 0
    if sent.failure:
        raise CommandError.of("cli-alert-failed", reason=sent.failure)
    print("It waits to be sent: see `channels log`.")
    return 0
