"""The update and signal handlers of `Research`, made from the table of messages."""

from temporalio import workflow
from temporalio.common import RawValue
from temporalio.exceptions import ApplicationError

from contracts.base import Json
from contracts.errors import GreenlightError, NotAllowed
from workflows.interpreter.interpreter import Interpreter
from workflows.interpreter.message_handlers import MESSAGES, accept
from workflows.message_parsing import NO_BODY, read


def refusal(error: GreenlightError) -> ApplicationError:
    """Return an error as Temporal passes it on."""
    return ApplicationError(str(error), type=error.type(), non_retryable=True)


class Inbox:
    """A run's messages: each as update, which answers, and as signal, which always gets through."""

    def __init__(self) -> None:
        self._interpreter: Interpreter | None = None
        self._early: list[tuple[str, str]] = []

    def validate_update(self, name: str, value: RawValue) -> None:
        """Refuse what the run cannot take now: the update leaves no history."""
        try:
            body = read(value, MESSAGES[name].body)
            if self._interpreter is not None:
                MESSAGES[name].check(self._interpreter.state, body)
        except GreenlightError as error:
            raise refusal(error) from None

    async def take_update(self, name: str, value: RawValue) -> None:
        """Take a message, or tell its sender why not."""
        try:
            await self.take_signal(name, value)
        except GreenlightError as error:
            if isinstance(error, NotAllowed):  # whoever watches the run learns of it too
                self._warn(f"{name!r} was refused: {error}")
            raise refusal(error) from None

    async def take_signal(self, name: str, value: RawValue) -> None:
        """Take a message, or have it dropped and logged."""
        await accept(await self._wait_until_opened(), name, read(value, MESSAGES[name].body))

    async def _wait_until_opened(self) -> Interpreter:
        await workflow.wait_condition(lambda: self._interpreter is not None)
        return self._require_opened()

    def report_ignored_signal(self, name: str, reason: str) -> None:
        """Say in the run's log that a signal was dropped, and why."""
        if self._interpreter is None:
            self._early.append((name, reason))
            return
        self._warn(f"signal {name!r} was ignored: {reason}")

    def _warn(self, message: str) -> None:
        status: Json = {"level": "warning", "message": message[:1_000]}
        self._require_opened().recorder.emit("Status", status)

    def _require_opened(self) -> Interpreter:
        if self._interpreter is None:
            raise ApplicationError("the run is just being opened", type="conflict")
        return self._interpreter


def _add_handlers(name: str, example: str) -> None:
    """Add a message's update, with its validator, and its signal."""

    class Handlers(Inbox):
        @workflow.update(name=name, description=example)
        async def update(self, body: RawValue = NO_BODY) -> None:
            await self.take_update(name, body)

        @update.validator
        def _validate(self, body: RawValue = NO_BODY) -> None:
            self.validate_update(name, body)

        @workflow.signal(name=name, description="as the update, also while no worker is up")
        async def signal(self, body: RawValue = NO_BODY) -> None:
            await self.take_signal(name, body)

    setattr(Inbox, f"update_{name}", Handlers.update)
    setattr(Inbox, f"signal_{name}", Handlers.signal)


for _name, _message in MESSAGES.items():
    _add_handlers(_name, _message.example)
