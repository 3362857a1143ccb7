"""Plain text, JSON and rows of a PostgreSQL."""

import json as json_module
from operator import attrgetter

from django.core.exceptions import BadRequest
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_POST

from .models import Fortune, World

# Of a request; further ones are not looked up.
MOST_IDS = 500
# No blanks, and letters as they are.
COMPACT = {"separators": (",", ":"), "ensure_ascii": False}


def answered(value: object) -> JsonResponse:
    return JsonResponse(value, safe=False, json_dumps_params=COMPACT)


def number(text: str | None) -> int:
    try:
        return int(text or "")
    except ValueError:
        raise BadRequest("not a number") from None


def shown(world: World) -> dict[str, int]:
    return {"id": world.id, "randomNumber": world.random_number}


def plaintext(request: HttpRequest, name: str) -> HttpResponse:
    return HttpResponse(f"Hello, {name}!", content_type="text/plain; charset=utf-8")


def json(request: HttpRequest, name: str) -> JsonResponse:
    return answered({"message": f"Hello, {name}!"})


def world(request: HttpRequest) -> JsonResponse:
    return answered(shown(get_object_or_404(World, pk=number(request.GET.get("id")))))


def worlds(request: HttpRequest) -> JsonResponse:
    """One after another."""
    ids = [number(id) for id in request.GET.get("ids", "").split(",")[:MOST_IDS]]
    return answered([shown(get_object_or_404(World, pk=id)) for id in ids])


@require_POST
def updates(request: HttpRequest) -> JsonResponse:
    """Reads one row after another, and writes all in one transaction, by id: two requests never wait for each
    other. Of a row that is given twice the last value stays."""
    asked = json_module.loads(request.body)
    changed = {}
    for row in asked:
        world = get_object_or_404(World, pk=row["id"])
        world.random_number = row["randomNumber"]
        changed[world.id] = world
    with transaction.atomic():
        for world in sorted(changed.values(), key=attrgetter("id")):
            world.save(update_fields=["random_number"])
    return answered(asked)


def fortunes(request: HttpRequest) -> HttpResponse:
    """Every fortune and the one that the request adds, by message."""
    every = [*Fortune.objects.all(), Fortune(id=0, message=request.GET.get("add", ""))]
    every.sort(key=attrgetter("message"))
    return render(request, "fortunes.html", {"fortunes": every})
