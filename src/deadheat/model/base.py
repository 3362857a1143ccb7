"""What all nouns share: frozen, and no key that nobody knows."""

from pydantic import BaseModel, ConfigDict


class Noun(BaseModel):
    """A frozen value; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)
