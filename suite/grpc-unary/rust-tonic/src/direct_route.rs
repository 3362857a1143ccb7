use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use http::{Request, Response};
use tonic::{body::Body, server::NamedService, service::Routes};
use tower_service::Service;

type BoxFuture<T> = Pin<Box<dyn Future<Output = Result<T, Infallible>> + Send>>;

/// Hands calls of one service straight to it and all others to tonic's router.
///
/// The router matches each path anew and boxes the service and its future for
/// each call; the one service that has nearly all calls need not pay that.
#[derive(Clone, Debug)]
pub struct DirectRoute<S> {
    service: S,
    others: Routes,
}

impl<S> DirectRoute<S> {
    /// Calls of `service` go to it, all others to `others`.
    pub fn new(service: S, others: Routes) -> Self {
        Self {
            service,
            others: others.prepare(),
        }
    }
}

impl<S> Service<Request<Body>> for DirectRoute<S>
where
    S: NamedService
        + Service<
            Request<Body>,
            Response = Response<Body>,
            Error = Infallible,
            Future = BoxFuture<Response<Body>>,
        >,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Response<Body>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        // The router is always ready; the generated service is too.
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        if service_name(request.uri().path()) == Some(S::NAME) {
            self.service.call(request)
        } else {
            Box::pin(self.others.call(request))
        }
    }
}

/// The `package.Service` of a path `/package.Service/Method`.
fn service_name(path: &str) -> Option<&str> {
    Some(path.strip_prefix('/')?.split_once('/')?.0)
}

#[cfg(test)]
mod tests {
    use super::service_name;

    #[test]
    fn the_service_is_the_first_part_of_the_path() {
        assert_eq!(
            service_name("/greeter.Greeter/SayHello"),
            Some("greeter.Greeter")
        );
        assert_eq!(service_name("/greeter.Greeter/"), Some("greeter.Greeter"));
        assert_eq!(service_name("/greeter.Greeter"), None);
        assert_eq!(service_name("*"), None);
    }
}
