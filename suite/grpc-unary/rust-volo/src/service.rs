use volo_gen::greeter::{self, HelloReply, HelloRequest};
use volo_grpc::{BoxStream, Request, Response, Status};

/// How many messages a call of `SayHellos` sends.
const STREAM_LENGTH: usize = 100;

/// Answers greetings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Greeter;

impl greeter::Greeter for Greeter {
    async fn say_hello(
        &self,
        request: Request<HelloRequest>,
    ) -> Result<Response<HelloReply>, Status> {
        Ok(Response::new(greet(request.get_ref())))
    }

    async fn say_hellos(
        &self,
        request: Request<HelloRequest>,
    ) -> Result<Response<BoxStream<'static, Result<HelloReply, Status>>>, Status> {
        let greetings = std::iter::repeat_n(Ok(greet(request.get_ref())), STREAM_LENGTH);
        Ok(Response::new(Box::pin(tokio_stream::iter(greetings))))
    }
}

fn greet(request: &HelloRequest) -> HelloReply {
    HelloReply {
        message: format!("Hello from {}!", request.name).into(),
    }
}
