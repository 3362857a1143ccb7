//! The contract as the server itself gives it: gRPC server reflection. The messages of
//! `grpc.reflection.v1` and `v1alpha` are the same on the wire.

use super::fields::{fields, push};
use super::framing::PREFIX;
use crate::error::{Error, Kind, Result};
use prost_reflect::prost::Message as _;
use prost_reflect::prost_types::FileDescriptorProto;
use prost_reflect::DescriptorPool;

/// The services that may have it, the newer one first.
pub const SERVICES: [&str; 2] = [
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
];

/// More files than any contract has.
const MOST_FILES: usize = 10_000;

/// Numbers of fields: of `ServerReflectionRequest`, ...
const FILE_BY_FILENAME: u64 = 3;
const FILE_CONTAINING_SYMBOL: u64 = 4;
const LIST_SERVICES: u64 = 7;
/// ... of `ServerReflectionResponse`, ...
const FILE_DESCRIPTOR_RESPONSE: u64 = 4;
const LIST_SERVICES_RESPONSE: u64 = 6;
const ERROR_RESPONSE: u64 = 7;
/// ... and in these.
const FILE_OR_SERVICE_OR_NAME: u64 = 1;
const ERROR_MESSAGE: u64 = 2;

/// What a server says.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A message, with its prefix.
    Message(Vec<u8>),
    /// There is no such thing: some say so by the status, others by a message.
    NotFound(String),
}

/// Puts a contract with this service together from the answers of `ask`.
///
/// # Errors
/// Those of `ask`; there is no such service, or no contract in the answers.
pub fn contract(
    service: &str,
    mut ask: impl FnMut(Vec<u8>) -> Result<Answer>,
) -> Result<DescriptorPool> {
    let mut pool = DescriptorPool::global();
    let mut files: Vec<FileDescriptorProto> = Vec::new();
    match message(ask(question(FILE_CONTAINING_SYMBOL, service))?) {
        Ok(message) => take_files(&message, &mut files)?,
        Err(why) => {
            let services = match message(ask(question(LIST_SERVICES, ""))?) {
                Ok(message) => services(&message).join(", "),
                Err(why) => why,
            };
            return Err(Error::usage(format!(
                "no service {service} on the server ({why}), only: {services}"
            )));
        }
    }
    while let Some(name) = missing(&pool, &files) {
        let said = message(ask(question(FILE_BY_FILENAME, &name))?);
        let not_there = |why: &str| wrong(&format!("{name} is not in the answers {why}"));
        take_files(&said.map_err(|why| not_there(&why))?, &mut files)?;
        let has_come = files.iter().any(|file| file.name() == name);
        if !has_come || files.len() > MOST_FILES {
            return Err(not_there(""));
        }
    }
    pool.add_file_descriptor_protos(files)
        .map_err(|error| wrong(&error.to_string()))?;
    Ok(pool)
}

fn wrong(why: &str) -> Error {
    Error::new(
        Kind::Gone,
        format!("the server's reflection: {}", why.trim()),
    )
}

fn question(number: u64, text: &str) -> Vec<u8> {
    let mut message = Vec::new();
    push(number, text.as_bytes(), &mut message);
    message
}

/// The message of an answer, or why there is none.
fn message(answer: Answer) -> std::result::Result<Vec<u8>, String> {
    let mut message = match answer {
        Answer::Message(message) => message,
        Answer::NotFound(why) => return Err(why),
    };
    message.drain(..PREFIX.min(message.len()));
    let found = |number: u64, message: &[u8]| -> Option<Vec<u8>> {
        let mut all = fields(message).into_iter();
        let (_, content) = all.find(|(other, _)| *other == number)?;
        Some(content.to_vec())
    };
    match found(ERROR_RESPONSE, &message) {
        None => Ok(message),
        Some(error) => {
            let text = found(ERROR_MESSAGE, &error).unwrap_or_default();
            Err(String::from_utf8_lossy(&text).into_owned())
        }
    }
}

/// The contents of one field of a response.
fn response(message: &[u8], number: u64) -> Vec<&[u8]> {
    let all = fields(message).into_iter();
    all.filter(|(other, _)| *other == number)
        .flat_map(|(_, content)| fields(content))
        .filter(|(other, _)| *other == FILE_OR_SERVICE_OR_NAME)
        .map(|(_, content)| content)
        .collect()
}

fn services(message: &[u8]) -> Vec<String> {
    let services = response(message, LIST_SERVICES_RESPONSE).into_iter();
    services
        .flat_map(fields)
        .filter(|(number, _)| *number == FILE_OR_SERVICE_OR_NAME)
        .map(|(_, name)| String::from_utf8_lossy(name).into_owned())
        .collect()
}

/// Adds the files of a message that are not there yet.
fn take_files(message: &[u8], files: &mut Vec<FileDescriptorProto>) -> Result<()> {
    for bytes in response(message, FILE_DESCRIPTOR_RESPONSE) {
        let file = FileDescriptorProto::decode(bytes).map_err(|error| wrong(&error.to_string()))?;
        if files.iter().all(|other| other.name() != file.name()) {
            files.push(file);
        }
    }
    Ok(())
}

/// A file that others need and that nobody has.
fn missing(pool: &DescriptorPool, files: &[FileDescriptorProto]) -> Option<String> {
    let is_there = |name: &str| {
        files.iter().any(|file| file.name() == name) || pool.get_file_by_name(name).is_some()
    };
    let mut needed = files.iter().flat_map(|file| &file.dependency);
    needed.find(|name| !is_there(name)).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(name: &str, needs: &[&str]) -> FileDescriptorProto {
        FileDescriptorProto {
            name: Some(name.into()),
            package: Some(name.replace('.', "_")),
            dependency: needs.iter().map(|&name| name.into()).collect(),
            ..FileDescriptorProto::default()
        }
    }

    fn answer(number: u64, contents: &[Vec<u8>]) -> Answer {
        let mut inner = Vec::new();
        contents
            .iter()
            .for_each(|content| push(FILE_OR_SERVICE_OR_NAME, content, &mut inner));
        let mut message = vec![0; PREFIX];
        push(number, &inner, &mut message);
        Answer::Message(message)
    }

    #[test]
    fn files_that_others_need_are_asked_for_once() {
        let mut asked = Vec::new();
        let pool = contract("x.Y", |question| {
            let (number, name) = fields(&question)[0];
            asked.push(String::from_utf8_lossy(name).into_owned());
            let files = match (number, name) {
                (FILE_CONTAINING_SYMBOL, _) => vec![file("a", &["b", "google/protobuf/any.proto"])],
                (_, b"b") => vec![file("a", &["b"]), file("b", &["c"]), file("d", &[])],
                _ => vec![file("c", &["d"])],
            };
            let files: Vec<Vec<u8>> = files.iter().map(|file| file.encode_to_vec()).collect();
            Ok(answer(FILE_DESCRIPTOR_RESPONSE, &files))
        });
        let pool = pool.unwrap();
        assert!(["a", "b", "c", "d"]
            .iter()
            .all(|name| pool.get_file_by_name(name).is_some()));
        assert_eq!(asked, ["x.Y", "b", "c"]);
    }

    #[test]
    fn a_service_that_is_not_there_and_files_that_do_not_come() {
        let said = contract("x.Y", |question| {
            Ok(match fields(&question)[0].0 {
                LIST_SERVICES => {
                    let named = |name: &str| question_of(name);
                    answer(LIST_SERVICES_RESPONSE, &[named("a.B"), named("c.D")])
                }
                _ => {
                    let mut error = vec![8, 5];
                    push(ERROR_MESSAGE, b"not found", &mut error);
                    let mut message = vec![0; PREFIX];
                    push(ERROR_RESPONSE, &error, &mut message);
                    Answer::Message(message)
                }
            })
        });
        let said = said.unwrap_err().message;
        assert_eq!(
            said,
            "no service x.Y on the server (not found), only: a.B, c.D"
        );
        let file = file("a", &["b"]).encode_to_vec();
        let said = contract("x.Y", |_| {
            Ok(answer(
                FILE_DESCRIPTOR_RESPONSE,
                std::slice::from_ref(&file),
            ))
        });
        assert!(said
            .unwrap_err()
            .message
            .contains("b is not in the answers"));
    }

    fn question_of(name: &str) -> Vec<u8> {
        question(FILE_OR_SERVICE_OR_NAME, name)
    }

    proptest! {
        #[test]
        fn any_bytes_will_do(bytes in prop::collection::vec(any::<u8>(), 0..60), number in 1u64..9) {
            let _ = contract("x.Y", |_| Ok(Answer::Message(bytes.clone())));
            let _ = contract("x.Y", |_| Ok(answer(number, std::slice::from_ref(&bytes))));
        }
    }
}
