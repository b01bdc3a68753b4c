//! Access control. On this machine's own address, a page of another site must not reach the
//! server by a name that it points here (DNS rebinding), nor make it do or read anything;
//! elsewhere a browser must bring the token.
//!
//! Our scripts send a custom header: a browser lets a page of another site send it only if
//! the server allowed that beforehand, which this one never does. That holds for every browser and
//! on plain connections, where `Sec-Fetch-Site` is missing; where it is there, it has to agree.
//! Only pages open without the header, because links and typed addresses cannot send it: frames
//! without data, and reports. Only our own links and typed addresses open these expensive reports.

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

/// Sources that pages may load: their own files, and pictures that are part of them.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";
/// Header that our pages' scripts send with every request.
const OWN_PAGE: HeaderName = HeaderName::from_static("x-runner-page");
/// Headers with the site and the purpose of a request; browsers set both.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// Clients that may ask.
#[derive(Clone, Debug)]
pub(super) struct Access {
    /// Names of this server; `None` if any name is accepted, because a token is required.
    hosts: Option<Vec<String>>,
    token: Option<String>,
    /// Name of the cookie that carries the token after the first request. Cookies are shared by all
    /// ports, so the name has the port.
    cookie: String,
}

/// Kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AskedBy {
    /// By people and by pages: frames without data, and the files that they load. Links of other
    /// sites may lead here.
    Anybody,
    /// By a link of our pages, or by typing its address.
    OurLinks,
    /// By scripts of our pages.
    OurScripts,
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

impl Access {
    /// Creates the rules for a server that listens at this address.
    pub(super) fn new(bound: SocketAddr, token: Option<String>) -> Self {
        let port = bound.port();
        let names = || {
            let own = [bound.to_string(), format!("localhost:{port}"), format!("127.0.0.1:{port}")];
            own.into_iter().chain([format!("[::1]:{port}")]).collect()
        };
        let hosts = token.is_none().then(names);
        Access { hosts, token, cookie: format!("runner-token-{port}") }
    }

    /// Whether a request may be answered at all.
    fn check(&self, headers: &HeaderMap, query: &str) -> Result<(), Refusal> {
        let host = text(headers, HOST).unwrap_or_default();
        if self.hosts.as_ref().is_some_and(|hosts| !hosts.iter().any(|own| own == host)) {
            let words = format!(
                "`{host}` is not a name of this server; open the address that it printed, or start \
                it with --host"
            );
            return Err(Refusal::new(StatusCode::FORBIDDEN, words));
        }
        let cookies = text(headers, COOKIE).unwrap_or_default();
        if self.token.is_some()
            && !self.is_token(in_query(query))
            && !self.is_token(in_cookies(cookies, &self.cookie))
        {
            let words = "this server asks for a token; open the whole address that it printed";
            return Err(Refusal::new(StatusCode::UNAUTHORIZED, words));
        }
        Ok(())
    }

    /// Returns whether this is the token, in a time that does not reveal where they differ.
    fn is_token(&self, brought: Option<&str>) -> bool {
        let hash = |text: &str| blake3::hash(text.as_bytes());
        self.token.as_deref().zip(brought).is_some_and(|(own, brought)| hash(own) == hash(brought))
    }

    /// Returns the cookie for a request whose address has the token.
    fn cookie(&self, query: &str) -> Option<String> {
        let token = self.token.as_ref().filter(|_| self.is_token(in_query(query)))?;
        Some(format!("{}={token}; Path=/; HttpOnly; SameSite=Strict", self.cookie))
    }

    /// Checks whether this kind of client may send the request.
    fn check_asker(
        &self,
        asked_by: AskedBy,
        method: &Method,
        headers: &HeaderMap,
    ) -> Result<(), Refusal> {
        let host = text(headers, HOST).unwrap_or_default();
        let of_here = |origin: &str| origin.split_once("://").is_some_and(|(_, name)| name == host);
        let changes = !matches!(*method, Method::GET | Method::HEAD);
        let origin = text(headers, ORIGIN);
        let own_origin = origin.map_or(!changes && !headers.contains_key(ORIGIN), of_here);
        let site = headers.get(FETCH_SITE).map(HeaderValue::as_bytes);
        let own_script =
            headers.contains_key(OWN_PAGE) && matches!(site, None | Some(b"same-origin"));
        let allowed = match asked_by {
            AskedBy::Anybody => {
                let opened = text(headers, FETCH_DEST) == Some("document");
                opened || matches!(site, None | Some(b"same-origin" | b"none"))
            }
            // Without the header, a strict cookie says that no other site asked.
            AskedBy::OurLinks => match site {
                Some(site) => matches!(site, b"same-origin" | b"none"),
                None => own_script || self.token.is_some(),
            },
            AskedBy::OurScripts => own_script,
        };
        if allowed && own_origin {
            return Ok(());
        }
        let words = match asked_by {
            AskedBy::Anybody => "a page of another site asked for this",
            AskedBy::OurLinks => {
                "a page of another site asked for this, or a browser that does not say which page \
                did; type the address, or use a newer browser"
            }
            AskedBy::OurScripts => {
                "a page of another site asked for this; a program that is no browser sends the \
                header `x-runner-page: 1`, and with what changes something also `Origin`"
            }
        };
        Err(Refusal::new(StatusCode::FORBIDDEN, words))
    }
}

fn in_query(query: &str) -> Option<&str> {
    query.split('&').find_map(|pair| pair.strip_prefix("token="))
}

fn in_cookies<'a>(cookies: &'a str, wanted: &str) -> Option<&'a str> {
    let mut pairs = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value)
}

/// Lets a request through if this kind of client may send it; otherwise refuses it.
pub(super) async fn guard_asker(
    State((access, asked_by)): State<(Arc<Access>, AskedBy)>,
    request: Request,
    next: Next,
) -> Response {
    match access.check_asker(asked_by, request.method(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

/// Answers a request that may be answered; the answer says what pages may load.
pub(super) async fn guard_access(
    State(access): State<Arc<Access>>,
    request: Request,
    next: Next,
) -> Response {
    let query = request.uri().query().unwrap_or_default().to_owned();
    let mut response = match access.check(request.headers(), &query) {
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
    if let Some(cookie) = access.cookie(&query).filter(|_| ok) {
        say(SET_COOKIE, &cookie);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(host: &str, more: &[(HeaderName, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, HeaderValue::from_str(host).expect("a host"));
        for (name, value) in more {
            headers.insert(name, HeaderValue::from_str(value).expect("a value"));
        }
        headers
    }

    fn status(checked: Result<(), Refusal>) -> u16 {
        checked.err().map_or(200, |refusal| refusal.status.as_u16())
    }

    fn local() -> Access {
        Access::new("127.0.0.1:8000".parse().expect("an address"), None)
    }

    fn guarded() -> Access {
        let bound = "192.168.1.2:8000".parse().expect("an address");
        Access::new(bound, Some("secret".to_owned()))
    }

    #[test]
    fn other_names_are_refused() {
        let get = |host| status(local().check(&headers(host, &[]), ""));
        assert_eq!([get("127.0.0.1:8000"), get("localhost:8000")], [200; 2]);
        assert_eq!([get("evil.example:8000"), get("localhost:8001"), get("")], [403; 3]);
    }

    #[test]
    fn a_page_of_another_site_asks_in_vain() {
        use AskedBy::{Anybody, OurLinks, OurScripts};
        let asked = |access: &Access, by, method, more: &[(HeaderName, &str)]| {
            status(access.check_asker(by, &method, &headers("localhost:8000", more)))
        };
        let get = |by, more: &[(HeaderName, &str)]| asked(&local(), by, Method::GET, more);
        let post = |more: &[(HeaderName, &str)]| asked(&local(), OurScripts, Method::POST, more);
        let (own, here) = ((OWN_PAGE, "1"), (ORIGIN, "http://localhost:8000"));
        let site = |site| (FETCH_SITE, site);
        // Our own scripts, in browsers that say whose they are and in others.
        assert_eq!(
            [post(&[own.clone(), here.clone()]), get(OurScripts, std::slice::from_ref(&own))],
            [200; 2]
        );
        assert_eq!(get(OurScripts, &[own.clone(), site("same-origin")]), 200);
        // Forms, scripts, pictures and streams of another site, or of another port.
        for other in ["cross-site", "same-site"] {
            assert_eq!(post(&[own.clone(), here.clone(), site(other)]), 403);
            assert_eq!(get(OurScripts, &[own.clone(), site(other)]), 403);
            for by in [OurScripts, OurLinks, Anybody] {
                assert_eq!(get(by, &[site(other), (FETCH_DEST, "image")]), 403, "{by:?}");
                assert_eq!(get(by, &[site(other), (FETCH_DEST, "iframe")]), 403, "{by:?}");
            }
        }
        for origin in ["http://evil.example", "null", "\u{e9}"] {
            let origin = (ORIGIN, origin);
            assert_eq!(
                [post(std::slice::from_ref(&origin)), post(&[own.clone(), origin.clone()])],
                [403; 2]
            );
        }
        assert_eq!([post(&[]), post(&[here]), post(&[own])], [403; 3]);
        assert_eq!(get(OurScripts, &[]), 403);
        assert_eq!(get(OurScripts, &[site("none"), (FETCH_DEST, "document")]), 403);
        // A link of another site opens a page, and never a report.
        let linked = [site("cross-site"), (FETCH_DEST, "document")];
        assert_eq!([get(Anybody, &linked), get(OurLinks, &linked)], [200, 403]);
        assert_eq!([get(Anybody, &[]), get(OurLinks, &[])], [200, 403]);
        for near in ["none", "same-origin"] {
            assert_eq!([get(Anybody, &[site(near)]), get(OurLinks, &[site(near)])], [200; 2]);
        }
        // On a plain connection browsers say nothing; the strict cookie was checked.
        assert_eq!(asked(&guarded(), OurLinks, Method::GET, &[]), 200);
    }

    #[test]
    fn elsewhere_a_token_is_asked_for() {
        let access = guarded();
        let get = |cookie| status(access.check(&headers("lab:8000", &[(COOKIE, cookie)]), ""));
        assert_eq!([get("a=b"), get("runner-token-8000=wrong")], [401; 2]);
        // That of another server on this host.
        assert_eq!(get("runner-token-8001=secret"), 401);
        assert_eq!(get("a=b; runner-token-8001=x; runner-token-8000=secret"), 200);
        assert!(access.check(&HeaderMap::new(), "x=1&token=secret").is_ok());
    }

    #[test]
    fn what_an_address_has_for_a_token_becomes_no_header() {
        let set = guarded().cookie("token=secret").expect("a cookie");
        assert!(set.starts_with("runner-token-8000=secret; "), "{set}");
        for query in ["", "token=", "token=x; Domain=evil.example", "token=wrong"] {
            assert_eq!(guarded().cookie(query), None);
            assert_eq!(local().cookie(query), None);
        }
        assert_eq!(local().cookie("token=secret"), None);
    }
}
