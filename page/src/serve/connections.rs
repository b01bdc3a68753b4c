//! Connections: taken, counted, and closed when a request does not come in whole.

use super::error::Refusal;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// Connections at a time. A process may often have no more than 1,024 descriptors.
const MOST: usize = 512;
/// Time that a request may take to arrive, and a connection to be silent between two of them.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pause after the system refused a connection.
const REST: Duration = Duration::from_millis(100);
/// Bytes of a request's content.
const LONGEST: usize = 2 << 20;
/// Answer to a connection beyond the limit.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
    connection: close\r\ncontent-length: 49\r\n\r\n\
    {\"error\":\"the server has too many connections\"}\r\n";

/// Accepts connections until the returned future is dropped.
pub(super) async fn accept(listener: TcpListener, router: Router) -> Infallible {
    let room = Arc::new(Semaphore::new(MOST));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(REST).await;
            continue;
        };
        let Ok(place) = Arc::clone(&room).try_acquire_owned() else {
            _ = stream.try_write(FULL);
            continue;
        };
        let router = router.clone();
        tokio::spawn(async move {
            converse(stream, router).await;
            drop(place);
        });
    }
}

/// Answers the requests of a connection until it is closed.
async fn converse(stream: TcpStream, router: Router) {
    let service = TowerToHyperService::new(router);
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    // An error is one of the other side, which is gone.
    _ = server.serve_connection(TokioIo::new(stream), service).await;
}

/// Answers a request once its content is here as a whole.
pub(super) async fn gather(request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let refusal = match tokio::time::timeout(PATIENCE, to_bytes(body, LONGEST)).await {
        Ok(Ok(bytes)) => return next.run(Request::from_parts(head, Body::from(bytes))).await,
        Ok(Err(_)) => {
            let words = "the content of the request is longer than 2 MB, or broke off";
            Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, words)
        }
        Err(_) => {
            let words = format!("the request did not come in within {} s", PATIENCE.as_secs());
            Refusal::new(StatusCode::REQUEST_TIMEOUT, words)
        }
    };
    refusal.into_response()
}
