"""The JSON Schemas of our files, made from the records: `python -m deadheat.model.schema FOLDER`."""

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel, TypeAdapter

from deadheat.model.contender import ContenderFile
from deadheat.model.observation import OBSERVATION
from deadheat.model.plan import Plan
from deadheat.model.result import Results
from deadheat.model.workload import Workload

# What a run writes has a version of its own, which plan.json and results.json hold.
VERSIONS = {"workload": 1, "contender": 1, "plan": 3, "results": 3, "observation": 2}
RECORDS: dict[str, type[BaseModel]] = {
    "workload": Workload,
    "contender": ContenderFile,
    "plan": Plan,
    "results": Results,
}


def schemas() -> dict[str, dict[str, Any]]:
    """File name to schema: of manifests as they are written, of our own files as they are read."""
    found = {name: record.model_json_schema(by_alias=True) for name, record in RECORDS.items()}
    # A workload's name is its folder's: the file itself does not hold it.
    del found["workload"]["properties"]["name"]
    found["workload"]["required"].remove("name")
    observation: TypeAdapter[Any] = OBSERVATION
    found["observation"] = observation.json_schema(by_alias=True)
    return {f"{name}.schema.json": _headed(name, schema) for name, schema in found.items()}


def _headed(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:deadheat:schema:{VERSIONS[name]}:{name}",
        **schema,
    }


def main(folder: Path) -> None:
    """Write them."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, schema in schemas().items():
        (folder / name).write_text(json.dumps(schema, indent=2) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
