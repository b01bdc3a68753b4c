//! The live page in a real browser: by clicks and keys, as a person uses it. Where Chromium and its
//! driver are not installed, these tests say so and check nothing.
//!
//! With `RUNNER_SCREENSHOTS=DIR`, pictures of the pages go to that folder; with
//! `RUNNER_TEST_AXE=FILE`, a file of axe-core's, the pages are checked for accessibility by it.

use crate::serve::Server;
use crate::util::{PATIENCE, Sandbox, eventually_or, found, skip};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Keys, as WebDriver names them.
pub(crate) mod key {
    pub(crate) const BACKSPACE: &str = "\u{e003}";
    pub(crate) const TAB: &str = "\u{e004}";
    pub(crate) const ENTER: &str = "\u{e007}";
    pub(crate) const ESCAPE: &str = "\u{e00c}";
    pub(crate) const LEFT: &str = "\u{e012}";
}

/// A browser, driven by WebDriver (<https://www.w3.org/TR/webdriver2/>); it ends with this value.
pub(crate) struct Browser {
    agent: ureq::Agent,
    /// Address of the session's commands.
    session: String,
    driver: Child,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The driver ends what it started, which may be a script that started the browser.
        let close = json!({ "cmd": "Browser.close", "params": {} });
        _ = self.agent.post(format!("{}/goog/cdp/execute", self.session)).send_json(close);
        _ = self.agent.delete(&self.session).call();
        _ = self.driver.kill();
        _ = self.driver.wait();
    }
}

impl Browser {
    /// A new driver with its port; none where it is not installed. It ends at once where the port
    /// that it was given for IPv4 is another program's for IPv6.
    fn driver() -> Option<(Child, u16)> {
        for _ in 0..20 {
            let driver = Command::new("chromedriver")
                .arg("--port=0")
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn();
            let mut driver = driver.map_err(|_| skip("there is no chromedriver")).ok()?;
            let out = BufReader::new(driver.stdout.take().expect("its output"));
            let port = out.lines().map_while(Result::ok).find_map(|line| {
                let (_, port) = line.split_once("started successfully on port ")?;
                port.trim_end_matches('.').parse::<u16>().ok()
            });
            if let Some(port) = port {
                return Some((driver, port));
            }
            driver.wait().expect("it has ended");
        }
        panic!("no driver says its port");
    }

    /// A new one; none where there is no browser.
    pub(crate) fn start() -> Option<Self> {
        let (driver, port) = Self::driver()?;
        // More than any step takes on a busy machine; a browser that hangs ends the test.
        let patience = PATIENCE.as_millis() as u64;
        let config = ureq::Agent::config_builder().timeout_global(Some(PATIENCE));
        let agent = ureq::Agent::new_with_config(config.http_status_as_error(false).build());
        // Without a sandbox of its own: the tests may run as root.
        let arguments = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage"];
        let mut options = json!({ "args": arguments });
        // Without the parts that a window has, it takes a quarter of the time to start.
        if let Some(shell) = found("chromium-headless-shell") {
            options["binary"] = json!(shell);
        }
        let wanted = json!({
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL" },
            "timeouts": { "script": patience, "pageLoad": patience },
        });
        let sessions = format!("http://127.0.0.1:{port}/session");
        let wanted = json!({ "capabilities": { "alwaysMatch": wanted } });
        let made = answer(agent.post(&sessions).send_json(&wanted));
        let made = made.map_err(|error| skip(&format!("no browser: {error}"))).ok()?;
        let id = made["sessionId"].as_str().expect("a session has an id");
        let browser = Browser { session: format!("{sessions}/{id}"), agent, driver };
        browser.size(1280, 900);
        Some(browser)
    }

    /// Sends a command of the session, and returns what it gives.
    #[track_caller]
    fn command(&self, name: &str, parameters: &Value) -> Value {
        let sent = self.agent.post(format!("{}/{name}", self.session)).send_json(parameters);
        answer(sent).unwrap_or_else(|error| panic!("{name} {parameters}: {error}"))
    }

    /// Sends a command of the browser's own.
    #[track_caller]
    pub(crate) fn tools(&self, command: &str, parameters: Value) -> Value {
        self.command("goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    pub(crate) fn size(&self, width: u32, height: u32) {
        self.command("window/rect", &json!({ "width": width, "height": height }));
    }

    pub(crate) fn open(&self, address: &str) {
        self.command("url", &json!({ "url": address }));
    }

    #[track_caller]
    pub(crate) fn script(&self, script: &str) -> Value {
        self.command("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Runs a script that ends when it calls its last argument, and returns what it gives to that.
    #[track_caller]
    pub(crate) fn async_script(&self, script: &str) -> Value {
        self.command("execute/async", &json!({ "script": script, "args": [] }))
    }

    /// Returns the name of the element's commands.
    #[track_caller]
    fn element(&self, css: &str) -> String {
        element(&self.command("element", &json!({ "using": "css selector", "value": css })))
    }

    /// Sends a command of an element's, which the page may replace in between.
    #[track_caller]
    fn tell(&self, css: &str, command: &str, parameters: &Value) {
        loop {
            let name = format!("{}/{command}", self.element(css));
            let sent = self.agent.post(format!("{}/{name}", self.session)).send_json(parameters);
            match answer(sent) {
                Err(error) if error.contains("stale element") => {}
                answer => {
                    answer.unwrap_or_else(|error| panic!("{css} {command} {parameters}: {error}"));
                    return;
                }
            }
        }
    }

    #[track_caller]
    pub(crate) fn click(&self, css: &str) {
        self.tell(css, "click", &json!({}));
    }

    /// Types into a field in place of what is there.
    #[track_caller]
    pub(crate) fn fill(&self, css: &str, text: &str) {
        self.tell(css, "clear", &json!({}));
        self.tell(css, "value", &json!({ "text": text }));
    }

    /// Presses a key where the focus is.
    #[track_caller]
    pub(crate) fn press(&self, keys: &str) {
        let focused = self.agent.get(format!("{}/element/active", self.session)).call();
        let focused = element(&answer(focused).expect("something has the focus"));
        self.command(&format!("{focused}/value"), &json!({ "text": keys }));
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
        let printed = self.tools("Page.printToPDF", json!({ "preferCSSPageSize": true }));
        self.decoded(&printed["data"])
    }

    /// A file that was sent in base 64; a character for each byte.
    fn decoded(&self, file: &Value) -> String {
        let decode = json!({ "script": "return atob(arguments[0])", "args": [file] });
        self.command("execute/sync", &decode).as_str().expect("a file").to_owned()
    }

    /// Fails if the console has an error.
    #[track_caller]
    pub(crate) fn no_errors(&self) {
        let said = self.command("se/log", &json!({ "type": "browser" }));
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
        let found = self.async_script(script);
        assert_eq!(found, json!([]), "{page}: {found:#}");
    }

    /// Role and name of all that a screen reader is told of, in its order.
    pub(crate) fn told(&self) -> Vec<(String, String)> {
        let tree = self.tools("Accessibility.getFullAXTree", json!({}));
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
        let mut reached: Vec<String> = Vec::new();
        for _ in 0..400 {
            self.press(key::TAB);
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
                let shot = self.agent.get(format!("{}/screenshot", self.session)).call();
                let png = self.decoded(&answer(shot).expect("a picture"));
                let png: Vec<u8> = png.chars().map(|byte| byte as u8).collect();
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
        self.tools("Emulation.setEmulatedMedia", media);
    }

    fn measures(&self, width: u32, height: u32) {
        let measures = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
        });
        self.tools("Emulation.setDeviceMetricsOverride", measures);
    }

    /// Makes the page light or dark, as the system's setting does.
    fn scheme(&self, scheme: &str) {
        self.media("prefers-color-scheme", scheme);
    }

    /// Sets what the system asks pages for.
    pub(crate) fn media(&self, name: &str, value: &str) {
        let features = json!({ "features": [{ "name": name, "value": value }] });
        self.tools("Emulation.setEmulatedMedia", features);
    }
}

/// Returns the value of a driver's answer.
///
/// # Errors
/// Returns an error without an answer, or what the driver says of a fault.
fn answer(answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Value, String> {
    let mut answer = answer.map_err(|error| error.to_string())?;
    let body = answer.body_mut().with_config().limit(u64::MAX).read_json::<Value>();
    let value = body.map_err(|error| error.to_string())?["value"].take();
    if answer.status().is_success() { Ok(value) } else { Err(value.to_string()) }
}

/// Returns the name of the commands of the element in an answer.
fn element(found: &Value) -> String {
    let id = found.as_object().and_then(|one| one.values().next()?.as_str());
    format!("element/{}", id.expect("an element"))
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
