//! Access: who may ask. On this machine's own address a page of another site must not reach the
//! server by a name that it made point here (DNS rebinding), nor send forms to it; elsewhere a
//! browser must bring the token.

use super::app::App;
use super::error::Refusal;
use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, COOKIE, HOST, HeaderName, ORIGIN, REFERRER_POLICY,
    SET_COOKIE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::SocketAddr;
use std::sync::Arc;

/// What pages may load: their own files, and pictures that are part of them.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";
/// Carries the token once the address has brought it.
const TOKEN_COOKIE: &str = "runner-token";

/// Who may ask.
#[derive(Clone, Debug)]
pub(super) struct Access {
    /// Names of this server; none: any name will do, since the token is asked for.
    hosts: Option<Vec<String>>,
    token: Option<String>,
}

impl Access {
    /// For a server that listens there.
    #[must_use]
    pub(super) fn new(bound: SocketAddr, token: Option<String>) -> Self {
        let port = bound.port();
        let names = || {
            let own = [bound.to_string(), format!("localhost:{port}"), format!("127.0.0.1:{port}")];
            own.into_iter().chain([format!("[::1]:{port}")]).collect()
        };
        Access { hosts: token.is_none().then(names), token }
    }

    /// Whether a request may be answered.
    fn check(&self, method: &Method, headers: &HeaderMap, query: &str) -> Result<(), Refusal> {
        let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let host = text(HOST).unwrap_or_default();
        if self.hosts.as_ref().is_some_and(|hosts| !hosts.iter().any(|own| own == host)) {
            let words = format!(
                "`{host}` is not a name of this server; open the address that it printed, or start \
                it with --host"
            );
            return Err(Refusal::new(StatusCode::FORBIDDEN, words));
        }
        if let Some(token) = &self.token {
            let brought = in_query(query).or_else(|| in_cookies(text(COOKIE).unwrap_or_default()));
            if !brought.is_some_and(|brought| same(brought, token)) {
                let words = "this server asks for a token; open the whole address that it printed";
                return Err(Refusal::new(StatusCode::UNAUTHORIZED, words));
            }
        }
        let of_here = |origin: &str| origin.split_once("://").is_some_and(|(_, name)| name == host);
        let changes = !matches!(*method, Method::GET | Method::HEAD);
        if changes && !text(ORIGIN).is_some_and(of_here) {
            let words = "a change was asked for by a page of another site";
            return Err(Refusal::new(StatusCode::FORBIDDEN, words));
        }
        Ok(())
    }
}

fn in_query(query: &str) -> Option<&str> {
    query.split('&').find_map(|pair| pair.strip_prefix("token="))
}

fn in_cookies(cookies: &str) -> Option<&str> {
    let mut pairs = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == TOKEN_COOKIE).map(|(_, value)| value)
}

/// Whether two texts are the same, in a time that does not tell where they differ.
fn same(one: &str, other: &str) -> bool {
    blake3::hash(one.as_bytes()) == blake3::hash(other.as_bytes())
}

/// Answers a request that may be answered; the answer says what pages may load.
pub(super) async fn guard_access(
    State(app): State<Arc<App>>,
    request: Request,
    next: Next,
) -> Response {
    let query = request.uri().query().unwrap_or_default().to_owned();
    let checked = app.access.check(request.method(), request.headers(), &query);
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    let ok = response.status().is_success();
    let headers = response.headers_mut();
    let mut say = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.entry(name).or_insert(value);
        }
    };
    say(CONTENT_SECURITY_POLICY, POLICY);
    say(X_CONTENT_TYPE_OPTIONS, "nosniff");
    say(REFERRER_POLICY, "no-referrer");
    say(CACHE_CONTROL, "no-store");
    say(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    if let (true, Some(token)) = (ok, in_query(&query)) {
        say(SET_COOKIE, &format!("{TOKEN_COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(access: &Access, method: Method, host: &str, more: &[(HeaderName, &str)]) -> u16 {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(host).expect("a host"));
        for (name, value) in more {
            headers.insert(name, HeaderValue::from_str(value).expect("a value"));
        }
        access.check(&method, &headers, "").err().map_or(200, |refusal| refusal.status.as_u16())
    }

    #[test]
    fn other_names_and_other_sites_are_refused() {
        let access = Access::new("127.0.0.1:8000".parse().expect("an address"), None);
        let post = |origin| ask(&access, Method::POST, "localhost:8000", &[(ORIGIN, origin)]);
        assert_eq!(ask(&access, Method::GET, "127.0.0.1:8000", &[]), 200);
        assert_eq!(ask(&access, Method::GET, "localhost:8000", &[]), 200);
        assert_eq!(ask(&access, Method::GET, "evil.example:8000", &[]), 403);
        assert_eq!(ask(&access, Method::GET, "localhost:8001", &[]), 403);
        assert_eq!(post("http://localhost:8000"), 200);
        assert_eq!(post("http://evil.example"), 403);
        assert_eq!(post("null"), 403);
        assert_eq!(ask(&access, Method::POST, "localhost:8000", &[]), 403);
    }

    #[test]
    fn elsewhere_a_token_is_asked_for() {
        let bound = "192.168.1.2:8000".parse().expect("an address");
        let access = Access::new(bound, Some("secret".to_owned()));
        let get = |cookie| ask(&access, Method::GET, "lab.example:8000", &[(COOKIE, cookie)]);
        assert_eq!(get("a=b"), 401);
        assert_eq!(get("runner-token=wrong"), 401);
        assert_eq!(get("a=b; runner-token=secret"), 200);
        let headers = HeaderMap::new();
        assert!(access.check(&Method::GET, &headers, "x=1&token=secret").is_ok());
    }
}
