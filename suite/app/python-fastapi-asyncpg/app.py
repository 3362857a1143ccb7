"""The routes of the application: plain text, JSON and, where DATABASE_URL names a PostgreSQL, a row of it."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field

POOL_SIZE = 16
DATABASE_URL = os.environ.get("DATABASE_URL")


class Greeting(BaseModel):
    message: str


class World(BaseModel):
    id: int
    random_number: int = Field(serialization_alias="randomNumber")


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


async def world(id: int, request: Request) -> World:
    row = await request.app.state.pool.fetchrow("SELECT id, randomnumber FROM world WHERE id = $1", id)
    if row is None:
        raise HTTPException(status_code=404)
    return World(id=row["id"], random_number=row["randomnumber"])


if DATABASE_URL is not None:
    app.get("/db")(world)
