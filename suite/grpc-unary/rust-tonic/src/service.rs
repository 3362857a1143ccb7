use std::iter::RepeatN;

use tokio_stream::Iter;
use tonic::{Request, Response, Status};

use crate::proto::{self, HelloReply, HelloRequest};

/// How many messages a call of `SayHellos` sends.
const STREAM_LENGTH: usize = 100;

/// Answers greetings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greeter;

#[tonic::async_trait]
impl proto::greeter_server::Greeter for Greeter {
    async fn say_hello(
        &self,
        request: Request<HelloRequest>,
    ) -> Result<Response<HelloReply>, Status> {
        Ok(Response::new(greet(&request.into_inner())))
    }

    type SayHellosStream = Iter<RepeatN<Result<HelloReply, Status>>>;

    async fn say_hellos(
        &self,
        request: Request<HelloRequest>,
    ) -> Result<Response<Self::SayHellosStream>, Status> {
        let greetings = std::iter::repeat_n(Ok(greet(&request.into_inner())), STREAM_LENGTH);
        Ok(Response::new(tokio_stream::iter(greetings)))
    }
}

fn greet(request: &HelloRequest) -> HelloReply {
    HelloReply {
        message: format!("Hello from {}!", request.name),
    }
}
