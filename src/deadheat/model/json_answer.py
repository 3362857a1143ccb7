"""JSON that is right in parts: values at their places, and what a JSON Schema allows."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import AfterValidator

from deadheat.model import json_path, json_text

_PLACE = re.compile(json_path.PATTERN)


def _have_places(fields: dict[str, Any]) -> dict[str, Any]:
    for place in fields:
        if not _PLACE.fullmatch(place):
            raise ValueError(f'"{place}" says no place: $.items[0].id')
    return fields


def schema_text(text: str) -> str:
    """The same. Raises ValueError where it is no JSON Schema."""
    # Its import takes a tenth of a second, which most runs have no use for.
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import validator_for

    schema = json_text.read(text)
    try:
        validator_for(schema).check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"no JSON Schema: {error.json_path}: {error.message}") from error
    return text


#: Values by their places, `$.items[0].id`.
JsonFields = Annotated[dict[str, Any], AfterValidator(_have_places)]
#: A JSON Schema, in a text; of draft 2020-12 unless it says another.
JsonSchema = Annotated[str, AfterValidator(schema_text)]
