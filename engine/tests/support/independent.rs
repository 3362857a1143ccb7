//! Servers that are not ours: HTTP/2 by the h2 crate, gRPC by tonic, TLS by tokio-rustls.

#![allow(dead_code, reason = "each test binary uses its own part")]

use bytes::Bytes;
use h2::server::SendResponse;
use h2::RecvStream;
use http::{Request, Response};
use rcgen::{generate_simple_self_signed, CertifiedKey};
use rustls::pki_types::PrivateKeyDer;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_stream::wrappers::ReceiverStream;
use tonic::codegen::Service;

pub const LARGE: usize = 3_000_000;

/// How a server of [`http2`] is to be.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    pub tls: Option<&'static str>,
    /// Says GOAWAY when so many requests have come on a connection.
    pub goaway_after: u64,
    pub most_streams: u32,
    /// Of each stream, for what the client sends.
    pub window: u32,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            tls: None,
            goaway_after: u64::MAX,
            most_streams: 1_000,
            window: 65_535,
        }
    }
}

/// Runs `serve` on a free port, in a thread of its own, until the test ends.
fn listening<F>(serve: impl FnOnce(TcpListener) -> F + Send + 'static) -> SocketAddr
where
    F: Future<Output = ()>,
{
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    listener.set_nonblocking(true).expect("a socket");
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            serve(TcpListener::from_std(listener).expect("a socket")).await;
        });
    });
    address
}

/// A server that speaks TLS, agrees on no protocol, and says nothing.
pub fn silent_tls() -> SocketAddr {
    listening(|listener| async move {
        let acceptor = acceptor("");
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                if let Ok(mut stream) = acceptor.accept(stream).await {
                    let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
                }
            });
        }
    })
}

fn acceptor(alpn: &str) -> TlsAcceptor {
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(vec!["localhost".to_owned()]).expect("a certificate");
    let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .expect("a configuration");
    if !alpn.is_empty() {
        config.alpn_protocols = vec![alpn.as_bytes().to_vec()];
    }
    TlsAcceptor::from(Arc::new(config))
}

/// An HTTP/2 server: `/large` is [`LARGE`] bytes, `/headers` a reply whose headers need
/// CONTINUATION, `/status/404` a status, `/trailers` ends with some, a POST is echoed, and
/// everything else is greeted.
pub fn http2(habits: Habits) -> SocketAddr {
    listening(move |listener| async move {
        let acceptor = habits.tls.map(acceptor);
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                match acceptor {
                    None => connection(stream, habits).await,
                    Some(acceptor) => {
                        if let Ok(stream) = acceptor.accept(stream).await {
                            assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
                            connection(stream, habits).await;
                        }
                    }
                }
            });
        }
    })
}

async fn connection(stream: impl AsyncRead + AsyncWrite + Unpin, habits: Habits) {
    let mut builder = h2::server::Builder::new();
    builder
        .initial_window_size(habits.window)
        .max_concurrent_streams(habits.most_streams);
    let Ok(mut connection) = builder.handshake::<_, Bytes>(stream).await else {
        return;
    };
    let mut requests = 0;
    while let Some(Ok((request, respond))) = connection.accept().await {
        tokio::spawn(async move {
            // The peer may be gone; it is the one under test.
            let _ = answer(request, respond).await;
        });
        requests += 1;
        if requests == habits.goaway_after {
            connection.graceful_shutdown();
        }
    }
}

async fn answer(
    request: Request<RecvStream>,
    mut respond: SendResponse<Bytes>,
) -> Result<(), h2::Error> {
    let (parts, mut body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let mut sent = Vec::new();
    while let Some(piece) = body.data().await {
        let piece = piece?;
        sent.extend_from_slice(&piece);
        body.flow_control().release_capacity(piece.len())?;
    }
    let mut response = Response::builder();
    let mut content = format!("Hello from {}!", &path[1..]).into_bytes();
    if path == "/large" {
        content = vec![b'x'; LARGE];
    } else if path == "/headers" {
        for i in 0..4 {
            response = response.header(format!("x-long-{i}"), "y".repeat(9_000));
        }
    } else if let Some(status) = path.strip_prefix("/status/") {
        response = response.status(status.parse::<u16>().expect("a status"));
    } else if parts.method == "POST" {
        content = sent;
    }
    if parts.method == "HEAD" {
        let response = response.header("content-length", content.len());
        respond.send_response(response.body(()).expect("a response"), true)?;
        return Ok(());
    }
    let response = response.header("content-length", content.len());
    let response = response.body(()).expect("a response");
    let mut stream = respond.send_response(response, false)?;
    let with_trailers = path == "/trailers";
    stream.send_data(content.into(), !with_trailers)?;
    if with_trailers {
        let mut trailers = http::HeaderMap::new();
        trailers.insert("x-sum", "1".parse().expect("a value"));
        stream.send_trailers(trailers)?;
    }
    Ok(())
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Name {
    #[prost(string, tag = "1")]
    pub name: String,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Greeting {
    #[prost(string, tag = "1")]
    pub message: String,
}

/// A greeter by tonic, all of its methods.
pub fn grpc(tls: bool) -> SocketAddr {
    serving(tls, Greeter)
}

/// A greeter by tonic that tells its contract, by one of the versions of reflection.
pub fn reflecting(tls: bool, is_alpha: bool, descriptors: &'static [u8]) -> SocketAddr {
    let builder = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(descriptors)
        .include_reflection_service(false);
    match is_alpha {
        false => {
            let reflection = builder.build_v1().expect("descriptors");
            serving(tls, Reflecting { reflection })
        }
        true => {
            let reflection = builder.build_v1alpha().expect("descriptors");
            serving(tls, Reflecting { reflection })
        }
    }
}

/// Any service by tonic.
fn serving<S>(tls: bool, service: S) -> SocketAddr
where
    S: Service<
            Request<tonic::body::Body>,
            Response = Response<tonic::body::Body>,
            Error = std::convert::Infallible,
        > + Clone
        + Send
        + 'static,
    S::Future: Send + 'static,
{
    listening(move |listener| async move {
        let server = tonic::transport::Server::builder();
        let result = if tls {
            let acceptor = acceptor("h2");
            let (send, streams) = tokio::sync::mpsc::channel(16);
            tokio::spawn(async move {
                while let Ok((stream, _)) = listener.accept().await {
                    let (acceptor, send) = (acceptor.clone(), send.clone());
                    tokio::spawn(async move {
                        if let Ok(stream) = acceptor.accept(stream).await {
                            let _ = send.send(Ok::<_, std::io::Error>(stream)).await;
                        }
                    });
                }
            });
            let streams = ReceiverStream::new(streams);
            server.serve_with_incoming(service, streams).await
        } else {
            let streams = tokio_stream::wrappers::TcpListenerStream::new(listener);
            server.serve_with_incoming(service, streams).await
        };
        result.expect("it serves");
    })
}

#[derive(Clone)]
struct Reflecting<R> {
    reflection: R,
}

impl<R> Service<Request<tonic::body::Body>> for Reflecting<R>
where
    R: Service<
            Request<tonic::body::Body>,
            Response = Response<tonic::body::Body>,
            Error = std::convert::Infallible,
        > + tonic::server::NamedService,
    R::Future: Send + 'static,
{
    type Response = Response<tonic::body::Body>;
    type Error = std::convert::Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<tonic::body::Body>) -> Answer {
        let path = request.uri().path().to_owned();
        if path.starts_with("/greeter.") {
            return Greeter.call(request);
        }
        if path.starts_with(&format!("/{}/", R::NAME)) {
            return Box::pin(self.reflection.call(request));
        }
        let unimplemented = tonic::Status::unimplemented("not here");
        Box::pin(async move { Ok(unimplemented.into_http()) })
    }
}

#[derive(Clone)]
struct Greeter;

type Answer = Pin<
    Box<dyn Future<Output = Result<Response<tonic::body::Body>, std::convert::Infallible>> + Send>,
>;

impl Service<Request<tonic::body::Body>> for Greeter {
    type Response = Response<tonic::body::Body>;
    type Error = std::convert::Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<tonic::body::Body>) -> Answer {
        Box::pin(async move {
            let codec = tonic_prost::ProstCodec::<Greeting, Name>::default();
            let mut grpc = tonic::server::Grpc::new(codec)
                .accept_compressed(tonic::codec::CompressionEncoding::Gzip)
                .send_compressed(tonic::codec::CompressionEncoding::Gzip);
            Ok(match request.uri().path() {
                "/greeter.Greeter/SayHello" => grpc.unary(One, request).await,
                "/greeter.Greeter/SayHelloCS" => grpc.client_streaming(Count, request).await,
                "/greeter.Greeter/SayHelloBidi" => grpc.streaming(Each, request).await,
                _ => grpc.server_streaming(Many, request).await,
            })
        })
    }
}

fn greeting(name: &Name) -> Greeting {
    Greeting {
        message: format!("Hello from {}!", name.name),
    }
}

struct One;

impl tonic::server::UnaryService<Name> for One {
    type Response = Greeting;
    type Future =
        Pin<Box<dyn Future<Output = Result<tonic::Response<Greeting>, tonic::Status>> + Send>>;

    fn call(&mut self, request: tonic::Request<Name>) -> Self::Future {
        let greeting = greeting(request.get_ref());
        Box::pin(async move {
            if greeting.message == "Hello from nobody!" {
                return Err(tonic::Status::not_found("nobody is here"));
            }
            Ok(tonic::Response::new(greeting))
        })
    }
}

struct Many;

type Greetings = tokio_stream::Iter<std::vec::IntoIter<Result<Greeting, tonic::Status>>>;

impl tonic::server::ServerStreamingService<Name> for Many {
    type Response = Greeting;
    type ResponseStream = Greetings;
    type Future =
        Pin<Box<dyn Future<Output = Result<tonic::Response<Greetings>, tonic::Status>> + Send>>;

    fn call(&mut self, request: tonic::Request<Name>) -> Self::Future {
        let all = vec![Ok(greeting(request.get_ref())); 100];
        Box::pin(async move { Ok(tonic::Response::new(tokio_stream::iter(all))) })
    }
}

/// Greets by the number of names.
struct Count;

impl tonic::server::ClientStreamingService<Name> for Count {
    type Response = Greeting;
    type Future =
        Pin<Box<dyn Future<Output = Result<tonic::Response<Greeting>, tonic::Status>> + Send>>;

    fn call(&mut self, request: tonic::Request<tonic::Streaming<Name>>) -> Self::Future {
        let mut names = request.into_inner();
        Box::pin(async move {
            let mut count = 0;
            while names.message().await?.is_some() {
                count += 1;
            }
            let name = Name {
                name: count.to_string(),
            };
            Ok(tonic::Response::new(greeting(&name)))
        })
    }
}

/// Greets each name as it comes.
struct Each;

impl tonic::server::StreamingService<Name> for Each {
    type Response = Greeting;
    type ResponseStream = ReceiverStream<Result<Greeting, tonic::Status>>;
    type Future = Pin<
        Box<
            dyn Future<Output = Result<tonic::Response<Self::ResponseStream>, tonic::Status>>
                + Send,
        >,
    >;

    fn call(&mut self, request: tonic::Request<tonic::Streaming<Name>>) -> Self::Future {
        let mut names = request.into_inner();
        let (send, greetings) = tokio::sync::mpsc::channel(16);
        tokio::spawn(async move {
            while let Some(name) = names.message().await.transpose() {
                let greeting = name.map(|name| greeting(&name));
                if send.send(greeting).await.is_err() {
                    return;
                }
            }
        });
        Box::pin(async move { Ok(tonic::Response::new(ReceiverStream::new(greetings))) })
    }
}
