"""The routes of the application: plain text, JSON and, where DATABASE_URL names a PostgreSQL, rows of it."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import asyncpg
from async_lru import alru_cache
from fastapi import FastAPI, HTTPException, Query, Request
from fastapi.responses import HTMLResponse, PlainTextResponse
from fastapi.templating import Jinja2Templates
from pydantic import BaseModel, Field

POOL_SIZE = 16
# Of a request; further ones are not looked up.
MOST_IDS = 500
BY_ID = "SELECT id, randomnumber FROM world WHERE id = $1"
CACHED_BY_ID = "SELECT id, randomnumber FROM cached_world WHERE id = $1"
MOST_CACHED = 20_000
UPDATE = "UPDATE world SET randomnumber = $2 WHERE id = $1"
FORTUNES = "SELECT id, message FROM fortune"
TEMPLATES = Jinja2Templates(directory=Path(__file__).parent / "templates")
DATABASE_URL = os.environ.get("DATABASE_URL")


class Greeting(BaseModel):
    message: str


class World(BaseModel):
    id: int
    random_number: int = Field(alias="randomNumber")


class Fortune(BaseModel):
    id: int
    message: str


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """All connections are opened at the start."""
    if DATABASE_URL is None:
        yield
        return
    async with asyncpg.create_pool(DATABASE_URL, min_size=POOL_SIZE, max_size=POOL_SIZE) as pool:
        app.state.pool = pool
        yield


app = FastAPI(lifespan=lifespan)


@app.get("/plaintext/{name}", response_class=PlainTextResponse)
async def plaintext(name: str) -> str:
    return f"Hello, {name}!"


@app.get("/json/{name}")
async def json(name: str) -> Greeting:
    return Greeting(message=f"Hello, {name}!")


def found(row: asyncpg.Record | None) -> World:
    if row is None:
        raise HTTPException(status_code=404)
    return World(id=row["id"], randomNumber=row["randomnumber"])


async def world(id: int, request: Request) -> World:
    return found(await request.app.state.pool.fetchrow(BY_ID, id))


async def worlds(ids: Annotated[str, Query(pattern=r"^\d+(,\d+)*$")], request: Request) -> list[World]:
    """One after another, all on one connection."""
    async with request.app.state.pool.acquire() as connection:
        return [found(await connection.fetchrow(BY_ID, int(id))) for id in ids.split(",")[:MOST_IDS]]


@alru_cache(maxsize=MOST_CACHED)
async def cached_world(id: int) -> World:
    """Read when it is first asked for; one that another request is reading is waited for."""
    return found(await app.state.pool.fetchrow(CACHED_BY_ID, id))


async def cached_worlds(ids: Annotated[str, Query(pattern=r"^\d+(,\d+)*$")]) -> list[World]:
    return [await cached_world(int(id)) for id in ids.split(",")[:MOST_IDS]]


async def updates(asked: list[World], request: Request) -> list[World]:
    """Reads one row after another, and writes all in one transaction, by id: two requests never wait for each
    other."""
    async with request.app.state.pool.acquire() as connection:
        for world in asked:
            found(await connection.fetchrow(BY_ID, world.id))
        by_id = sorted(asked, key=lambda world: world.id)
        await connection.executemany(UPDATE, [(world.id, world.random_number) for world in by_id])
    return asked


async def fortunes(add: str, request: Request) -> HTMLResponse:
    """Every fortune and the one that the request adds, by message."""
    rows = await request.app.state.pool.fetch(FORTUNES)
    every = [Fortune(**row) for row in rows] + [Fortune(id=0, message=add)]
    every.sort(key=lambda fortune: fortune.message)
    return TEMPLATES.TemplateResponse(request, "fortunes.html", {"fortunes": every})


if DATABASE_URL is not None:
    app.get("/db")(world)
    app.get("/queries")(worlds)
    app.get("/cached")(cached_worlds)
    app.post("/updates")(updates)
    app.get("/fortunes", response_class=HTMLResponse)(fortunes)
