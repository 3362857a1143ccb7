"""What the first of several gRPC servers without a suite replies."""

from __future__ import annotations

from functools import partial

import grpc
from google.protobuf import json_format

from deadheat.app.trial import Heard, Trial
from deadheat.errors import ExitCode, UserError
from deadheat.kinds.grpc import call as grpc_call
from deadheat.model.address import Address
from deadheat.suite.ad_hoc import Call

CALL_TIMEOUT_S = 60.0


def called(trial: Trial, call: Call, times: int = 1) -> list[Heard]:
    """Its replies of one start, as JSON.

    Raises UserError where it does not start or answer well, and where the contract has no such method or
    request.
    """
    _method(call).asked(grpc_call.fields(call.data))  # before anything is started
    return trial.answers([partial(_ask, trial, call)] * times)


def _method(call: Call) -> grpc_call.Method:
    method = grpc_call.method(call.proto, call.method)
    if method.server_streaming:
        raise UserError(f"{call.method} is no unary call", hint="a suite of its own can race its streams")
    return method


def _ask(trial: Trial, call: Call, at: Address) -> Heard:
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
                f"{trial.wanted.first.called} answers {call.method} with {error.code().name}: "
                f"{error.details()}",
                hint="--call and --data say what it is asked",
                code=ExitCode.NOTHING_MEASURED,
            ) from error
    return Heard(json_format.MessageToJson(reply, indent=None, preserving_proto_field_name=True).encode())
