//! The live page in a real browser: by clicks and keys, as a person uses it. Where Chromium and its
//! driver are not installed, these tests say so and check nothing.
//!
//! With `RUNNER_SCREENSHOTS=DIR`, pictures of the pages go to that folder; with
//! `RUNNER_TEST_AXE=FILE`, a file of axe-core's, the pages are checked for accessibility by it.

use crate::serve::Server;
use crate::util::{Sandbox, eventually_or, skip};
use fantoccini::key::Key;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use std::future::Future;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A browser; it ends with this value.
pub(crate) struct Browser {
    runtime: tokio::runtime::Runtime,
    client: Option<Client>,
    driver: Child,
}

impl Drop for Browser {
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            _ = self.runtime.block_on(client.close());
        }
        _ = self.driver.kill();
        _ = self.driver.wait();
    }
}

/// Asks for what the page's console says.
#[derive(Debug)]
struct ConsoleLog;

impl WebDriverCompatibleCommand for ConsoleLog {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/se/log", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(json!({ "type": "browser" }).to_string()))
    }
}

impl Browser {
    /// A new one; none where there is no browser.
    pub(crate) fn start() -> Option<Self> {
        let driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut driver) = driver else {
            skip("there is no chromedriver");
            return None;
        };
        let out = BufReader::new(driver.stdout.take().expect("its output"));
        let port = out.lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let port = port.expect("the driver says its port");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime");
        let mut capabilities = Capabilities::new();
        // Without a sandbox of its own: the tests may run as root.
        let arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage"];
        capabilities.insert("goog:chromeOptions".to_owned(), json!({ "args": arguments }));
        capabilities.insert("goog:loggingPrefs".to_owned(), json!({ "browser": "ALL" }));
        let mut builder = ClientBuilder::new(HttpConnector::new());
        let address = format!("http://127.0.0.1:{port}");
        let connected = builder.capabilities(capabilities).connect(&address);
        let client = runtime.block_on(connected);
        let client = client.map_err(|error| skip(&format!("no browser: {error}"))).ok()?;
        let browser = Browser { runtime, client: Some(client), driver };
        browser.size(1280, 900);
        Some(browser)
    }

    pub(crate) fn client(&self) -> &Client {
        self.client.as_ref().expect("it has not ended")
    }

    pub(crate) fn wait<T, E: std::fmt::Debug>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> T {
        /// More than any step takes on a busy machine; a browser that hangs ends the test.
        const LIMIT: Duration = Duration::from_secs(600);
        let work = async { tokio::time::timeout(LIMIT, work).await };
        self.runtime.block_on(work).expect("the browser answers").expect("the browser does it")
    }

    pub(crate) fn size(&self, width: u32, height: u32) {
        self.wait(self.client().set_window_size(width, height));
    }

    pub(crate) fn open(&self, address: &str) {
        self.wait(self.client().goto(address));
    }

    pub(crate) fn script(&self, script: &str) -> Value {
        self.wait(self.client().execute(script, Vec::new()))
    }

    pub(crate) fn click(&self, css: &str) {
        let element = self.wait(self.client().find(Locator::Css(css)));
        self.wait(element.click());
    }

    /// Types into a field in place of what is there.
    pub(crate) fn fill(&self, css: &str, text: &str) {
        let element = self.wait(self.client().find(Locator::Css(css)));
        self.wait(element.clear());
        self.wait(element.send_keys(text));
    }

    /// Presses a key where the focus is.
    pub(crate) fn press(&self, keys: &str) {
        let element = self.wait(self.client().active_element());
        self.wait(element.send_keys(keys));
    }

    /// Chooses in a list, as its user's last click does.
    pub(crate) fn choose(&self, css: &str, value: &str) {
        let script = format!(
            "const list = document.querySelector({css:?}); list.value = {value:?}; \
            list.dispatchEvent(new Event('change', {{ bubbles: true }})); return list.value"
        );
        assert_eq!(self.script(&script), value, "{css}");
    }

    pub(crate) fn text(&self, css: &str) -> String {
        let found =
            self.script(&format!("return document.querySelector({css:?})?.textContent ?? ''"));
        found.as_str().unwrap_or_default().to_owned()
    }

    pub(crate) fn is_disabled(&self, css: &str) -> bool {
        self.script(&format!("return document.querySelector({css:?}).disabled")) == true
    }

    /// Waits until something holds.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, holds: impl Fn() -> bool) {
        eventually_or(holds, || format!("{what}; the page says: {}", self.text("#state")));
    }

    #[track_caller]
    pub(crate) fn until_text(&self, css: &str, part: &str) {
        self.until(&format!("{css} says {part:?}"), || self.text(css).contains(part));
    }

    /// What a fact of the watched search is by now.
    pub(crate) fn fact(&self, name: &str) -> String {
        let script = format!(
            "return [...document.querySelectorAll('#facts div')].find((one) => \
            one.firstChild.textContent === {name:?})?.lastChild.textContent ?? ''"
        );
        self.script(&script).as_str().unwrap_or_default().to_owned()
    }

    /// The page as a PDF, as the browser prints it by default; a character for each byte.
    pub(crate) fn pdf(&self) -> String {
        let command = DevTools("Page.printToPDF", json!({ "preferCSSPageSize": true }));
        let printed = self.wait(self.client().issue_cmd(command));
        let decode = "return atob(arguments[0])";
        let decoded = self.client().execute(decode, vec![printed["data"].clone()]);
        self.wait(decoded).as_str().expect("a file").to_owned()
    }

    /// Fails if the console has an error.
    #[track_caller]
    pub(crate) fn no_errors(&self) {
        let said = self.wait(self.client().issue_cmd(ConsoleLog));
        let bad: Vec<&Value> =
            said.as_array().into_iter().flatten().filter(|one| one["level"] == "SEVERE").collect();
        assert!(bad.is_empty(), "{bad:#?}");
    }

    /// Fails if axe-core finds a violation; without it, nothing is checked.
    #[track_caller]
    pub(crate) fn is_accessible(&self, page: &str) {
        let Some(file) = std::env::var_os("RUNNER_TEST_AXE") else {
            return skip("RUNNER_TEST_AXE does not name the file of axe-core");
        };
        let axe = std::fs::read_to_string(&file).expect("axe-core's file");
        self.script(&axe);
        let script = "const done = arguments[0]; axe.run().then((found) => \
            done(found.violations.map((one) => [one.id, one.help, ...one.nodes.slice(0, 3).map(\
            (node) => `${node.html.slice(0, 200)} ${node.failureSummary}`)])))";
        let found = self.wait(self.client().execute_async(script, Vec::new()));
        assert_eq!(found, json!([]), "{page}: {found:#}");
    }

    /// Role and name of all that a screen reader is told of, in its order.
    pub(crate) fn told(&self) -> Vec<(String, String)> {
        let tree = DevTools("Accessibility.getFullAXTree", json!({}));
        let tree = self.wait(self.client().issue_cmd(tree));
        let nodes = tree["nodes"].as_array().expect("nodes").iter();
        let text = |value: &Value| value["value"].as_str().unwrap_or_default().trim().to_owned();
        nodes
            .filter(|node| node["ignored"] == false && node["role"]["value"] != "InlineTextBox")
            .map(|node| (text(&node["role"]), text(&node["name"])))
            .collect()
    }

    /// Fails if a screen reader meets a control without a name, not exactly one main part and one
    /// title, or not the parts that are named here.
    #[track_caller]
    pub(crate) fn tells(&self, page: &str, parts: &[(&str, &str)]) {
        const NAMED: [&str; 12] = [
            "button",
            "link",
            "textbox",
            "searchbox",
            "combobox",
            "slider",
            "checkbox",
            "image",
            "img",
            "dialog",
            "region",
            "navigation",
        ];
        let told = self.told();
        let nameless: Vec<_> = told
            .iter()
            .filter(|(role, name)| NAMED.contains(&role.as_str()) && name.is_empty())
            .collect();
        assert!(nameless.is_empty(), "{page}: {nameless:?}");
        let number = |wanted: &str| told.iter().filter(|(role, _)| role == wanted).count();
        assert_eq!((number("main"), number("RootWebArea")), (1, 1), "{page}");
        let titles = "return document.querySelectorAll('h1').length";
        assert_eq!(self.script(titles), 1, "{page}");
        for (role, name) in parts {
            let found = told.iter().any(|one| one.0 == *role && one.1.contains(name));
            assert!(found, "{page}: no {role} {name:?} in {told:#?}");
        }
    }

    /// Goes through the page by the key Tab, and returns the ids or texts of what it reaches. Fails
    /// if the focus is not seen, or leaves the screen.
    #[track_caller]
    pub(crate) fn tabs(&self, page: &str) -> Vec<String> {
        let focused = "const one = document.activeElement; \
            if (!one || one === document.body) return null; \
            const style = getComputedStyle(one), box = one.getBoundingClientRect(); \
            return [one.id || one.textContent.trim().slice(0, 40), \
                style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2, \
                box.bottom > 0 && box.top < innerHeight]";
        self.script("document.activeElement?.blur(); scrollTo(0, 0)");
        let tab = String::from(char::from(Key::Tab));
        let mut reached: Vec<String> = Vec::new();
        for _ in 0..400 {
            self.press(&tab);
            let now = self.script(focused);
            let Some(name) = now[0].as_str() else { break };
            // From the last one the focus goes round.
            if reached.len() > 1 && reached[0] == name {
                break;
            }
            assert!(now[1] == true && now[2] == true, "{page}: the focus is not seen: {now}");
            reached.push(name.to_owned());
        }
        reached
    }

    /// A picture of the page, in light and dark, as wide as a desk's screen and as a phone's.
    pub(crate) fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("RUNNER_SCREENSHOTS") else { return };
        let folder = std::path::Path::new(&folder);
        std::fs::create_dir_all(folder).expect("a folder");
        for (kind, width, height) in [("wide", 1280, 1000), ("phone", 390, 844)] {
            self.size(width, height);
            for scheme in ["light", "dark"] {
                self.scheme(scheme);
                std::thread::sleep(Duration::from_millis(300));
                let png = self.wait(self.client().screenshot());
                std::fs::write(folder.join(format!("{name}-{kind}-{scheme}.png")), png)
                    .expect("a picture");
            }
        }
        self.scheme("light");
        self.size(1280, 900);
    }

    /// Gives the page the width of a phone.
    pub(crate) fn phone(&self) {
        self.measures(390, 844);
    }

    /// Shows the page as it is printed, on the width of A4 between its margins.
    pub(crate) fn print(&self) {
        self.measures(703, 1_000);
        let media = json!({ "media": "print" });
        self.wait(self.client().issue_cmd(DevTools("Emulation.setEmulatedMedia", media)));
    }

    fn measures(&self, width: u32, height: u32) {
        let measures = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
        });
        let command = DevTools("Emulation.setDeviceMetricsOverride", measures);
        self.wait(self.client().issue_cmd(command));
    }

    /// Makes the page light or dark, as the system's setting does.
    fn scheme(&self, scheme: &str) {
        self.media("prefers-color-scheme", scheme);
    }

    /// Sets what the system asks pages for.
    pub(crate) fn media(&self, name: &str, value: &str) {
        let features = json!({ "features": [{ "name": name, "value": value }] });
        self.wait(self.client().issue_cmd(DevTools("Emulation.setEmulatedMedia", features)));
    }
}

/// A command of the browser's own.
#[derive(Debug)]
pub(crate) struct DevTools(pub &'static str, pub Value);

impl WebDriverCompatibleCommand for DevTools {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        let body = json!({ "cmd": self.0, "params": self.1 });
        (http::Method::POST, Some(body.to_string()))
    }
}

/// A server and a browser on its page; none where there is no browser.
pub(crate) fn opened(sandbox: &Sandbox, path: &str) -> Option<(Server, Browser)> {
    let browser = Browser::start()?;
    let server = Server::start(sandbox, &[]);
    browser.open(&format!("{}{path}", server.address));
    Some((server, browser))
}

pub(crate) fn ready(browser: &Browser) {
    browser.until("ready", || {
        let state = browser.text("#state");
        (state.contains("Ready") || state.contains("The settings changed"))
            && !browser.is_disabled("#start")
    });
}
