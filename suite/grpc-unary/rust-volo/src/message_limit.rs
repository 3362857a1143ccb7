use http_body_util::{BodyExt, LengthLimitError, Limited};
use volo::{Layer, Service};
use volo_grpc::{Request, Response, Status, body::BoxBody, context::ServerContext};

/// gRPC's prefix of a message: whether it is compressed, and its length.
const PREFIX_BYTES: usize = 5;

/// Ends calls whose request is longer than allowed with `RESOURCE_EXHAUSTED`.
///
/// Volo itself takes messages of any length. The limit is on the whole request,
/// which is one message for each of the contract's methods, and on the message
/// as it is sent: not on what a compressed one unfolds to.
#[derive(Clone, Copy, Debug)]
pub struct MessageLimitLayer {
    bytes: usize,
}

impl MessageLimitLayer {
    /// Messages of up to `bytes` are allowed.
    pub fn new(bytes: usize) -> Self {
        Self { bytes }
    }
}

impl<S> Layer<S> for MessageLimitLayer {
    type Service = MessageLimit<S>;

    fn layer(self, inner: S) -> Self::Service {
        MessageLimit {
            inner,
            bytes: self.bytes,
        }
    }
}

/// A service behind a [`MessageLimitLayer`].
#[derive(Clone, Debug)]
pub struct MessageLimit<S> {
    inner: S,
    bytes: usize,
}

impl<S> Service<ServerContext, Request<BoxBody>> for MessageLimit<S>
where
    S: Service<ServerContext, Request<BoxBody>, Response = Response<BoxBody>> + Sync,
{
    type Response = S::Response;
    type Error = S::Error;

    async fn call(
        &self,
        context: &mut ServerContext,
        request: Request<BoxBody>,
    ) -> Result<Self::Response, Self::Error> {
        let bytes = self.bytes;
        let limited = request.map(|body| {
            Limited::new(body, PREFIX_BYTES + bytes)
                .map_err(move |error| {
                    if error.is::<LengthLimitError>() {
                        Status::resource_exhausted(format!("a message of over {bytes} bytes"))
                    } else {
                        Status::from_error(error)
                    }
                })
                .boxed_unsync()
        });
        self.inner.call(context, limited).await
    }
}
