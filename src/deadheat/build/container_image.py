"""Images of containers: that one is there, which it is, and the line that builds it. None is ever pulled."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass

from deadheat.errors import ExitCode, UserError
from deadheat.hosts import Host, StartError
from deadheat.hosts.container_engine import ContainerEngine

ASKED_WITHIN_S = 60.0
# Where images that were built here are: podman takes a name without a host for one of a registry.
OURS = "localhost/deadheat"


@dataclass(frozen=True)
class Image:
    """One that is there: its id, which stays the same image's whatever is given its name later."""

    name: str
    id: str
    bytes: int


def there(host: Host, name: str) -> Image:
    """The image of that name. Raises UserError where there is none, or no engine."""
    engine = host.container_engine()
    found = _found(host, engine, name)
    if found is None:
        raise UserError(
            f"the image {name} is not here",
            hint=f"{engine.name} pull {shlex.quote(name)} fetches it; a race pulls nothing",
            code=ExitCode.NOTHING_MEASURED,
        )
    return found


def built(host: Host, tag: str) -> Image | None:
    """One that was built, if it is still there."""
    return _found(host, host.container_engine(), tag)


def tag_of(name: str, key: str) -> str:
    """What an image that is built here is called."""
    return f"{OURS}/{name}:{key}"


def build_line(engine: ContainerEngine, tag: str, containerfile: str) -> str:
    """The line that builds it, in the folder of its sources."""
    return shlex.join(engine.words(*engine.building(tag, containerfile)))


def _found(host: Host, engine: ContainerEngine, name: str) -> Image | None:
    """Raises UserError where the engine cannot say."""
    argv = engine.words("image", "inspect", name)
    try:
        said = host.run(argv, env={}, timeout_s=ASKED_WITHIN_S)
    except (StartError, TimeoutError) as error:
        raise UserError(f"{engine.name}: {error}", code=ExitCode.NOTHING_MEASURED) from error
    if said.status != 0:
        return None
    [facts] = json.loads(said.stdout)
    return Image(name, facts["Id"], facts["Size"])
