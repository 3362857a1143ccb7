"""What the first of several gRPC servers without a suite replies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import grpc
from google.protobuf import json_format

from deadheat.app.asking import Heard, Values, failed, spec, values_at
from deadheat.errors import ExitCode, UserError
from deadheat.hosts import Host, StartError
from deadheat.kinds.grpc import call as grpc_call
from deadheat.kinds.server.started import NotServingError, started_server
from deadheat.model.address import Address
from deadheat.run.progress import View
from deadheat.suite.ad_hoc import AdHoc, Answer, Call
from deadheat.util.interrupt import Stop

CALL_TIMEOUT_S = 60.0


def called(
    wanted: AdHoc, call: Call, folder: Path, host: Host, stop: Stop, beside: Values, times: int = 1
) -> list[Heard]:
    """Its replies of one start, as JSON; `beside`: where its services are.

    Raises UserError where it does not start or answer well, and where the contract has no such method or
    request.
    """
    at = Address(host=host.address, port=host.free_port())
    _method(call).asked(grpc_call.fields(call.data))  # before anything is started
    found: list[Heard] = []

    def complaint(_: object) -> str | None:
        found.append(_ask(wanted, call, at))
        return None

    try:
        started = spec(wanted, folder, {"port": at.port, **values_at(wanted), **beside})
        with started_server(host, started, at.port, complaint, stop) as serving:
            more = [_ask(wanted, call, at) for _ in range(times - 1)]
            return [replace(each, took_s=serving.ready_ns / 1e9) for each in (found[-1], *more)]
    except (StartError, NotServingError) as error:
        tail = error.output_tail.strip()[-300:] if isinstance(error, NotServingError) else ""
        raise failed(wanted, f"{error}: {tail}" if tail else str(error)) from error
    except OSError as error:
        raise failed(wanted, f"it answered once, and then no more: {error}") from error


def right(wanted: AdHoc, heard: Sequence[Heard], view: View) -> Answer:
    """The reply, where it is always the same."""
    data = heard[0].data
    if data is not None and len({each.data for each in heard}) == 1:
        return Answer(body=data.decode())
    view.note(f"{wanted.first.called} replies otherwise each time: the status alone is compared")
    return Answer(body=None)


def _method(call: Call) -> grpc_call.Method:
    method = grpc_call.method(call.proto, call.method)
    if method.server_streaming:
        raise UserError(f"{call.method} is no unary call", hint="a suite of its own can race its streams")
    return method


def _ask(wanted: AdHoc, call: Call, at: Address) -> Heard:
    """Raises OSError while nobody answers."""
    method = _method(call)
    fields = grpc_call.fields(call.data)
    with grpc_call.channel(at.host, at.port) as opened:
        try:
            reply = grpc_call.start(opened, method, fields, CALL_TIMEOUT_S).result()
        except grpc.RpcError as error:
            if error.code() is grpc.StatusCode.UNAVAILABLE:
                raise ConnectionRefusedError(error.details()) from error
            raise UserError(
                f"{wanted.first.called} answers {call.method} with {error.code().name}: {error.details()}",
                hint="--call and --data say what it is asked",
                code=ExitCode.NOTHING_MEASURED,
            ) from error
    return Heard(json_format.MessageToJson(reply, indent=None, preserving_proto_field_name=True).encode())
