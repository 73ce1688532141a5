"""The form that each kind of receiver takes: Standard Webhooks, Slack, Teams, ntfy, mail."""

from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from urllib.parse import unquote, urlsplit

from contracts.alerts import DueAlert
from contracts.base import Json
from domain.alerts.messages import AlertMessage

SLACK_CHARS = 2_900
"""A section of a Slack message takes 3,000."""
NTFY_CHARS = 3_500
"""A message of ntfy takes 4,096 bytes; longer ones become attachments."""
URGENT = {"run.deadline_near": 4, "run.cap_reached": 4, "run.failed": 4}
"""ntfy's priority of alerts that should not wait; 3 is the default."""


def build_payload(alert: DueAlert, message: AlertMessage) -> tuple[str, Json]:
    """Return the address and the JSON that an alert is sent as."""
    match alert.kind:
        case "slack":
            return alert.target, _build_slack(message)
        case "teams":
            return alert.target, _build_teams(message)
        case "ntfy":
            server, topic = split_topic(alert.target)
            return server, _build_ntfy(topic, URGENT.get(alert.type, 3), message)
        case "webhook" | "email":
            return alert.target, _build_event(alert, message)


def _build_event(alert: DueAlert, message: AlertMessage) -> Json:
    """Return a webhook's body: the event as data, and as text."""
    facts = alert.facts.model_dump(mode="json", exclude_defaults=True)
    links: Json = {link.url: link.label for link in message.links}
    about: Json = {"title": message.title, "text": message.text, "links": links}
    if alert.run_id:
        about |= {"run_id": alert.run_id, "definition_id": alert.definition_id}
        about["query"] = alert.query
    if alert.changes:
        about["changes"] = alert.changes.model_dump(mode="json")
    return {"type": alert.type, "timestamp": alert.at, "data": {**about, **facts}}


def _build_slack(message: AlertMessage) -> Json:
    escaped = _escape_slack(f"*{message.title}*\n{message.text}")[:SLACK_CHARS]
    blocks: list[Json] = [{"type": "section", "text": {"type": "mrkdwn", "text": escaped}}]
    if message.links:
        buttons: list[Json] = [
            {"type": "button", "text": {"type": "plain_text", "text": link.label}, "url": link.url}
            for link in message.links
        ]
        blocks.append({"type": "actions", "elements": [*buttons]})
    return {"text": _escape_slack(message.title), "blocks": [*blocks]}


def _escape_slack(text: str) -> str:
    """Escape a text, so that it cannot mention a channel or form a link."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _build_teams(message: AlertMessage) -> Json:
    """Return an adaptive card, as Teams' workflows take it."""
    title: Json = {"type": "TextBlock", "text": message.title, "weight": "Bolder", "wrap": True}
    lines: list[Json] = [  # text of pages may be among it, which a TextBlock would read as Markdown
        {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": line}]}
        for line in message.lines
    ]
    actions: list[Json] = [
        {"type": "Action.OpenUrl", "title": link.label, "url": link.url} for link in message.links
    ]
    card: Json = {
        "type": "AdaptiveCard",
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "version": "1.4",
        "body": [title, *lines],
        "actions": [*actions],
    }
    kind = "application/vnd.microsoft.card.adaptive"
    return {"type": "message", "attachments": [{"contentType": kind, "content": card}]}


def split_topic(target: str) -> tuple[str, str]:
    """Split an ntfy URL into server and topic; the topic is empty if the URL has none."""
    parts = urlsplit(target)
    above, _, topic = parts.path.rstrip("/").rpartition("/")
    return parts._replace(path=f"{above}/", query="", fragment="").geturl(), unquote(topic)


def _build_ntfy(topic: str, priority: int, message: AlertMessage) -> Json:
    actions: list[Json] = [
        {"action": "view", "label": link.label, "url": link.url} for link in message.links
    ]
    sent: Json = {
        "topic": topic,
        "title": message.title,
        "message": message.text[:NTFY_CHARS],
        "priority": priority,
        "actions": [*actions],
    }
    return sent | ({"click": message.links[0].url} if message.links else {})


def build_mail(alert: DueAlert, message: AlertMessage, sender: str) -> EmailMessage:
    """Return an alert as a mail; its `Message-ID` is the alert's, so that a second one is known as the same."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = sender, alert.target, message.title
    mail["Date"] = format_datetime(datetime.fromisoformat(alert.at))
    mail["Message-ID"] = f"<{alert.id}@greenlight>"
    mail["Auto-Submitted"] = "auto-generated"
    links = [f"{link.label}: {link.url}" for link in message.links]
    mail.set_content("\n\n".join([*message.lines, *links]) + "\n")
    return mail
