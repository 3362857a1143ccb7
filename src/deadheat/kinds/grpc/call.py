"""A gRPC method of a .proto file, called with JSON-like fields: for conformance, not for load."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import grpc
import grpc_tools
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from grpc_tools import protoc

from deadheat.errors import UserError


@dataclass(frozen=True)
class Method:
    """A method with the classes of its messages."""

    path: str
    request: type[Any]
    reply: type[Any]
    server_streaming: bool

    def asked(self, fields: Mapping[str, Any]) -> Any:
        """A request with these fields, as protobuf's JSON has them. Raises UserError."""
        return _of(self.request, fields, self.path)

    def right(self, fields: Mapping[str, Any]) -> Any:
        """The same of a reply."""
        return _of(self.reply, fields, self.path)


def _of(message: type[Any], fields: Mapping[str, Any], path: str) -> Any:
    try:
        return json_format.ParseDict(dict(fields), message())
    except json_format.ParseError as error:
        said = " ".join(str(error).split())
        hint = "fields are as in the contract, in protobuf's JSON"
        raise UserError(f"{path}: {said}", hint=hint) from error


@cache
def method(proto: Path, call: str) -> Method:
    """`package.Service/Method` of a .proto file. Raises UserError where the file has none such."""
    service, _, name = call.partition("/")
    pool = descriptor_pool.DescriptorPool()
    for file in _compiled(proto).file:
        pool.Add(file)
    try:
        found = pool.FindServiceByName(service).methods_by_name[name]
    except KeyError:
        raise UserError(f"{proto}: has no method {call}") from None
    return Method(
        f"/{call}",
        message_factory.GetMessageClass(found.input_type),
        message_factory.GetMessageClass(found.output_type),
        bool(found.server_streaming),
    )


def _compiled(proto: Path) -> descriptor_pb2.FileDescriptorSet:
    with tempfile.NamedTemporaryFile(suffix=".protoset") as out:
        well_known = Path(grpc_tools.__file__).parent / "_proto"
        arguments = [f"-I{proto.parent}", f"-I{well_known}", f"--descriptor_set_out={out.name}"]
        if protoc.main(["protoc", *arguments, "--include_imports", proto.name]) != 0:
            raise UserError(f"{proto}: does not compile; protoc says why above")
        return descriptor_pb2.FileDescriptorSet.FromString(Path(out.name).read_bytes())


def fields(text: str) -> dict[str, Any]:
    """Of a request as JSON. Raises UserError."""
    try:
        found = json.loads(text)
    except ValueError as error:
        raise UserError(f"{text[:80]}: no JSON: {error}", hint='--data \'{"name": "x"}\'') from error
    if not isinstance(found, dict):
        raise UserError(f"{text[:80]}: a request is an object", hint='--data \'{"name": "x"}\'')
    return found


@contextmanager
def channel(address: str, port: int) -> Iterator[grpc.Channel]:
    """A connection of its own, not one that an earlier channel left open."""
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_http_proxy", 0)]
    with grpc.insecure_channel(f"{address}:{port}", options=options) as opened:
        yield opened


def start(
    opened: grpc.Channel,
    method: Method,
    fields: Mapping[str, Any],
    timeout_s: float,
    compression: grpc.Compression = grpc.Compression.NoCompression,
) -> Any:
    """A call under way: `result()` of a unary one, iteration of a streaming one, raise grpc.RpcError."""
    make = opened.unary_stream if method.server_streaming else opened.unary_unary
    call = make(
        method.path,
        request_serializer=method.request.SerializeToString,
        response_deserializer=method.reply.FromString,
    )
    request = method.asked(fields)
    if method.server_streaming:
        return call(request, timeout=timeout_s, compression=compression)
    return call.future(request, timeout=timeout_s, compression=compression)
