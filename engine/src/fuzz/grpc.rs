//! Replies of gRPC servers.

use super::feed::cut_anywhere;
use crate::protocol::grpc::streaming::StreamingGrpc;
use crate::protocol::grpc::{CallSpec, Grpc};
use crate::protocol::h2::frame;
use prost_reflect::prost_types::field_descriptor_proto::{Label, Type};
use prost_reflect::prost_types::{
    DescriptorProto, FieldDescriptorProto, FileDescriptorProto, MethodDescriptorProto,
    ServiceDescriptorProto,
};
use prost_reflect::DescriptorPool;
use serde_json::json;
use std::sync::OnceLock;

/// Any bytes after the server's SETTINGS.
pub fn replies(bytes: &[u8]) {
    static POOL: OnceLock<DescriptorPool> = OnceLock::new();
    let unary = CallSpec {
        call: "g.G/Say".into(),
        data: json!({"text": "a"}),
        expect: Some(json!({"text": "ok"})),
        gzip: bytes.first().is_some_and(|byte| byte & 1 == 1),
        ..CallSpec::default()
    };
    let streamed = CallSpec {
        call: "g.G/Chat".into(),
        messages: Some(2),
        expect: Some(json!([{"text": "ok"}, {"text": "no"}])),
        ..unary.clone()
    };
    let pool = POOL.get_or_init(contract);
    let mut said = Vec::new();
    frame::push_settings(&[], &mut said);
    said.extend_from_slice(bytes);
    let protocol = Grpc::with_contract(pool, &unary, false, "h");
    cut_anywhere(&protocol.expect("a plain call"), &said);
    let protocol = StreamingGrpc::with_contract(pool, &streamed, false, "h");
    cut_anywhere(&protocol.expect("a call of two messages"), &said);
}

/// `service G { rpc Say(M) returns (M); rpc Chat(stream M) returns (stream M); }`
/// `message M { string text = 1; }`
fn contract() -> DescriptorPool {
    let text = FieldDescriptorProto {
        name: Some("text".into()),
        number: Some(1),
        label: Some(Label::Optional.into()),
        r#type: Some(Type::String.into()),
        ..FieldDescriptorProto::default()
    };
    let message = DescriptorProto {
        name: Some("M".into()),
        field: vec![text],
        ..DescriptorProto::default()
    };
    let method = MethodDescriptorProto {
        name: Some("Say".into()),
        input_type: Some(".g.M".into()),
        output_type: Some(".g.M".into()),
        ..MethodDescriptorProto::default()
    };
    let chat = MethodDescriptorProto {
        name: Some("Chat".into()),
        client_streaming: Some(true),
        server_streaming: Some(true),
        ..method.clone()
    };
    let service = ServiceDescriptorProto {
        name: Some("G".into()),
        method: vec![method, chat],
        ..ServiceDescriptorProto::default()
    };
    let file = FileDescriptorProto {
        name: Some("g.proto".into()),
        package: Some("g".into()),
        syntax: Some("proto3".into()),
        message_type: vec![message],
        service: vec![service],
        ..FileDescriptorProto::default()
    };
    let mut pool = DescriptorPool::new();
    pool.add_file_descriptor_proto(file).expect("a contract");
    pool
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]
        #[test]
        fn a_short_run(
            pieces in prop::collection::vec(super::super::http2::piece(), 0..10),
        ) {
            super::replies(&pieces.concat());
        }
    }
}
