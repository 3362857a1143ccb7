"""What all nouns share: frozen, and no key that nobody knows."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """A frozen value; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    def replaced(self, **changes: Any) -> Self:
        """The same with these fields changed, checked as any new one is. Raises ValidationError."""
        return type(self)(**{**dict(self), **changes})
