"""How a phase may end its run early; none of these is an error."""

from pydantic import BaseModel


class Reopen(Exception):
    """A human asks for another version of what an earlier phase gave."""

    def __init__(self, phase_id: str, feedback: str) -> None:
        super().__init__(phase_id)
        self.phase_id = phase_id
        self.feedback = feedback


class Rejected(Exception):
    """A human, or a deadline, said no."""


class Settled(Exception):
    """A phase has the run's answer already; carries the phase's output."""

    def __init__(self, output: BaseModel) -> None:
        super().__init__("settled")
        self.output = output
