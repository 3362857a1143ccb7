"""From the first browser to the report: follow the journal, render between, end when the race has ended."""

import asyncio
import socket
import sys
import time
from pathlib import Path

import uvicorn

from deadheat.live.follower import Follower
from deadheat.live.server import Board, application
from deadheat.storage.run_folder import RunFolder

LOOK_EVERY_S = 1.0
# The turn under way is shown this seldom: each is work for every browser, in the middle of a measurement.
SHOW_TURN_EVERY_S = 5.0
# Browsers that are there at the end come for the report within this time, or never.
LINGER_S = 20.0
GRACE_S = 0.5


async def serve(listening: socket.socket, token: str, path: Path) -> None:
    """Until the race has ended and its browsers have the report."""
    board = Board()
    port = listening.getsockname()[1]
    config = uvicorn.Config(
        application(board, token, port), log_level="warning", access_log=False, server_header=False
    )
    server = uvicorn.Server(config)
    answering = asyncio.create_task(server.serve(sockets=[listening]))
    ended = asyncio.create_task(_end_of_input())
    try:
        await _follow(board, RunFolder(path), ended)
    finally:
        server.should_exit = True
        await answering


async def _follow(board: Board, folder: RunFolder, ended: asyncio.Task[None]) -> None:
    follower = await asyncio.to_thread(Follower, folder)
    rendered, shown_s = -1, -SHOW_TURN_EVERY_S
    while not ended.done():
        await asyncio.to_thread(follower.read)
        if follower.version != rendered:
            rendered, shown_s = follower.version, time.monotonic()
            await board.show(html=await asyncio.to_thread(follower.page), state=follower.state)
        elif follower.state != board.state and time.monotonic() - shown_s >= SHOW_TURN_EVERY_S:
            shown_s = time.monotonic()
            await board.show(state=follower.state)
        await asyncio.wait([ended], timeout=LOOK_EVERY_S)
    await _end(board, folder, follower)


async def _end(board: Board, folder: RunFolder, follower: Follower) -> None:
    """The report itself, or where there is none (the referee was killed) what the journal holds."""
    watching = board.watching
    try:
        html = (folder.path / "report.html").read_text(encoding="utf-8")
        state = "the race has ended: this is its report"
    except OSError:
        await asyncio.to_thread(follower.read)
        state = "the race was cut off: deadheat race --resume latest goes on"
        follower.state = state
        html = await asyncio.to_thread(follower.page)
    await board.show(html=html, state=state, ended=True)
    waited = 0.0
    # Each browser hears of the end, and then asks for the page once more: a slow machine takes its time.
    while waited < LINGER_S and board.reports < watching:
        await asyncio.sleep(0.1)
        waited += 0.1
    if watching:
        await asyncio.sleep(GRACE_S)  # the last answer goes out


async def _end_of_input() -> None:
    """The referee holds the other end of our standard input: it ends with the race, however that ends."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    await reader.read()
