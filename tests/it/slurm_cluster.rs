//! A Slurm cluster on this machine: a controller and three nodes on loopback addresses, for as long
//! as a test uses it.

use crate::util::{eventually, plugins, root, skip};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// How long is waited for the cluster, and for what is to become of a job.
/// The names of the nodes.
pub(crate) const NODES: [&str; 3] = ["n1", "n2", "n3"];

/// The cluster, for one test at a time.
pub(crate) struct Cluster {
    running: Arc<Running>,
    // Dropped after the cluster: the next test finds it, or that it has ended.
    _turn: MutexGuard<'static, ()>,
}

/// The processes of the cluster; they end with it.
struct Running {
    folder: tempfile::TempDir,
    processes: Mutex<Vec<(String, Child)>>,
}

impl Cluster {
    /// The cluster, once no other test uses it; none, with a message, where Slurm is not installed.
    pub(crate) fn take() -> Option<Self> {
        static TURN: Mutex<()> = Mutex::new(());
        static SHARED: Mutex<Weak<Running>> = Mutex::new(Weak::new());
        if ["slurmctld", "slurmd", "munged", "setpriv"]
            .into_iter()
            .any(|program| find(program).is_none())
        {
            skip("there is no Slurm (apt-get install slurm-wlm munge)");
            return None;
        }
        let running = {
            let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
            shared.upgrade().unwrap_or_else(|| {
                let running = Arc::new(Running::start());
                *shared = Arc::downgrade(&running);
                running
            })
        };
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let cluster = Cluster { running, _turn: turn };
        cluster.wait_for_nodes();
        Some(cluster)
    }

    /// A command that talks to this cluster.
    pub(crate) fn speak(&self, command: &mut Command) {
        command.env("SLURM_CONF", self.running.conf());
    }

    /// What a program of Slurm prints.
    pub(crate) fn ask(&self, program: &str, arguments: &[&str]) -> String {
        self.running.ask(program, arguments)
    }

    /// Waits until all nodes can be given tasks.
    fn wait_for_nodes(&self) {
        eventually("all nodes are idle", || self.running.is_idle());
    }

    /// The node that runs a task of an array.
    pub(crate) fn node_of(&self, array: u64, task: u64) -> String {
        let node =
            self.ask("squeue", &["-h", "-t", "R", "-o", "%N", "-j", &format!("{array}_{task}")]);
        let node = node.trim().to_owned();
        assert!(NODES.contains(&node.as_str()), "task {task} of {array} runs on `{node}`");
        node
    }

    /// Kills a node: its daemon, and all that runs on it.
    pub(crate) fn kill_node(&self, node: &str) {
        self.kill_daemon(node);
        for process in self.processes_of(node) {
            kill(process);
        }
    }

    /// Kills the daemon of a node alone, or the controller (`slurmctld`).
    pub(crate) fn kill_daemon(&self, name: &str) {
        let mut processes = self.running.processes();
        let place = processes.iter().position(|(other, _)| other == name).expect("it runs");
        let (_, mut child) = processes.remove(place);
        child.kill().expect("a process of ours");
        child.wait().expect("a process of ours");
    }

    /// Tells the controller what it would find out by itself after some time: it gives the tasks of
    /// the node to others.
    pub(crate) fn mark_down(&self, node: &str) {
        let node = format!("nodename={node}");
        self.ask("scontrol", &["update", &node, "state=down", "reason=killed"]);
    }

    /// Waits until the controller has on the disk what it knows now: one that is killed before
    /// forgets which tasks it started.
    pub(crate) fn save(&self, job: u64) {
        let saved = || {
            let state = fs::metadata(self.running.path("state/job_state"));
            state.and_then(|state| state.modified()).ok()
        };
        let before = saved();
        self.ask("scontrol", &["update", &format!("jobid={job}"), "comment=changed"]);
        eventually("the controller saves its state", || saved() > before);
    }

    /// Starts a daemon again, once nothing runs on its node any more, and gives it tasks.
    pub(crate) fn revive(&self, name: &str) {
        let is_node = NODES.contains(&name);
        if is_node {
            eventually("the node's tasks have ended", || self.processes_of(name).is_empty());
        }
        self.running.start_daemon(name);
        if is_node {
            let node = format!("nodename={name}");
            self.ask("scontrol", &["update", &node, "state=resume"]);
        }
    }

    /// What Slurm started on a node: tasks of this cluster, and who watches them.
    fn processes_of(&self, node: &str) -> Vec<u32> {
        let marks = [
            format!("SLURMD_NODENAME={node}"),
            format!("SLURM_CONF={}", self.running.conf().display()),
        ];
        let has_marks = |process: &u32| {
            let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
            let variables: Vec<&[u8]> = environment.split(|byte| *byte == 0).collect();
            marks.iter().all(|mark| variables.contains(&mark.as_bytes()))
        };
        let mut found: Vec<u32> = processes().into_iter().filter(has_marks).collect();
        let watches = |process: &u32| {
            fs::read_to_string(format!("/proc/{process}/comm"))
                .is_ok_and(|name| name.trim() == "slurmstepd")
        };
        let parents: Vec<u32> =
            found.iter().filter_map(|process| parent(*process)).filter(watches).collect();
        found.extend(parents);
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Drop for Cluster {
    /// Of a test that failed, no job is left to the next one.
    #[expect(clippy::print_stderr, reason = "what a failed test leaves to be read")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            let jobs = self.ask("squeue", &["-h", "-r", "-t", "all"]);
            let user = said(Command::new("id").arg("-un"));
            self.ask("scancel", &["-u", user.trim()]);
            for name in ["slurmctld"].iter().chain(&NODES) {
                if !self.running.processes().iter().any(|(other, _)| other == name) {
                    self.revive(name);
                }
            }
            for node in NODES {
                self.ask("scontrol", &["update", &format!("nodename={node}"), "state=resume"]);
            }
            let log = fs::read_to_string(self.running.path("slurmctld.log")).unwrap_or_default();
            eprintln!("the queue:\n{jobs}\nthe controller's log:\n{log}");
        }
    }
}

impl Running {
    /// Starts all daemons, and waits until the nodes are there.
    fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("slurm").tempdir().expect("a folder");
        let running = Running { folder, processes: Mutex::default() };
        // The daemons look at who may write where their files are.
        fs::set_permissions(running.path(""), fs::Permissions::from_mode(0o755)).expect("a folder");
        fs::create_dir(running.path("state")).expect("a folder");
        NODES.iter().for_each(|node| {
            fs::create_dir(running.path(&format!("spool.{node}"))).expect("a folder");
        });
        let key: Vec<u8> = std::process::id().to_le_bytes().repeat(256);
        fs::write(running.path("munge.key"), key).expect("a file");
        fs::set_permissions(running.path("munge.key"), fs::Permissions::from_mode(0o400))
            .expect("a file");
        fs::write(running.conf(), running.configuration()).expect("a file");
        running.start_daemon("munged");
        eventually("munged listens", || running.path("munge.socket").exists());
        running.start_daemon("slurmctld");
        NODES.iter().for_each(|node| running.start_daemon(node));
        eventually("the cluster is up", || running.is_idle());
        running
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn conf(&self) -> PathBuf {
        self.path("slurm.conf")
    }

    fn configuration(&self) -> String {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").expect("a host has a name");
        let host = host.trim().split('.').next().expect("a name").to_owned();
        let user = said(Command::new("id").arg("-un")).trim().to_owned();
        // All are open at once, so that they differ.
        let ports: Vec<TcpListener> =
            (0..=NODES.len()).map(|_| TcpListener::bind("127.0.0.1:0").expect("a port")).collect();
        let port = |at: usize| ports[at].local_addr().expect("it listens").port();
        let node = |(place, node): (usize, &&str)| {
            format!(
                "NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={} CPUs=2 \
                RealMemory=1000 State=UNKNOWN\n",
                port(place + 1)
            )
        };
        let template = root().join("tests/slurm/slurm.conf");
        fs::read_to_string(template)
            .expect("the template")
            .replace("@NODES@", &NODES.iter().enumerate().map(node).collect::<String>())
            .replace("@HOST@", &host)
            .replace("@USER@", &user)
            .replace("@PORT@", &port(0).to_string())
            .replace("@FOLDER@", &self.folder.path().display().to_string())
    }

    /// Starts `munged`, `slurmctld`, or the daemon of a node. It ends when this process does.
    fn start_daemon(&self, name: &str) {
        let conf = self.conf().display().to_string();
        let file = |name: &str| self.path(name).display().to_string();
        let words: Vec<String> = match name {
            "munged" => [
                "munged".to_owned(),
                "--foreground".to_owned(),
                "--force".to_owned(),
                "--num-threads=2".to_owned(),
                format!("--socket={}", file("munge.socket")),
                format!("--key-file={}", file("munge.key")),
                format!("--pid-file={}", file("munge.pid")),
                format!("--log-file={}", file("munge.log")),
                format!("--seed-file={}", file("munge.seed")),
            ]
            .into(),
            "slurmctld" => ["slurmctld", "-D", "-f", &conf].map(str::to_owned).into(),
            node => ["slurmd", "-D", "-N", node, "-f", &conf].map(str::to_owned).into(),
        };
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL"]);
        command.arg(find(&words[0]).expect("it is installed")).args(&words[1..]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = start(command);
        self.processes().push((name.to_owned(), child));
    }

    fn processes(&self) -> MutexGuard<'_, Vec<(String, Child)>> {
        self.processes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ask(&self, program: &str, arguments: &[&str]) -> String {
        said(Command::new(program).args(arguments).env("SLURM_CONF", self.conf()))
    }

    fn is_idle(&self) -> bool {
        let nodes = self.ask("sinfo", &["-h", "-N", "-o", "%t"]);
        nodes.lines().filter(|state| *state == "idle").count() == NODES.len()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The first to start is the last to go.
        for (_, child) in self.processes().iter_mut().rev() {
            _ = child.kill();
            _ = child.wait();
        }
    }
}

/// Starts a process from a thread that lives as long as this process: the system ends a daemon with
/// the thread that started it.
fn start(command: Command) -> Child {
    type Order = (Command, Sender<Child>);
    static STARTER: OnceLock<Mutex<Sender<Order>>> = OnceLock::new();
    let starter = STARTER.get_or_init(|| {
        let (orders, received) = channel::<Order>();
        std::thread::spawn(move || {
            for (mut command, answer) in received {
                answer.send(command.spawn().expect("it starts")).expect("somebody waits");
            }
        });
        Mutex::new(orders)
    });
    let (answer, child) = channel();
    starter
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .send((command, answer))
        .expect("the thread lives");
    child.recv().expect("it starts")
}

/// The path of a program; daemons are often not on the path.
fn find(program: &str) -> Option<PathBuf> {
    plugins();
    let listed = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&listed).chain(["/usr/sbin".into(), "/sbin".into()]);
    folders.map(|folder| folder.join(program)).find(|path| path.is_file())
}

fn said(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
}

/// The numbers of all processes.
fn processes() -> Vec<u32> {
    let entries = fs::read_dir("/proc").expect("Linux").flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn parent(process: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

fn kill(process: u32) {
    let id = rustix::process::Pid::from_raw(process.cast_signed()).expect("a process");
    _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
}

/// Whether a run of a shard has finished trials.
pub(crate) fn has_trials(shard: &Path) -> bool {
    let journal = |folder: PathBuf| {
        fs::metadata(folder.join("parts/journal")).is_ok_and(|found| found.len() > 0)
    };
    let attempts = fs::read_dir(shard.join("attempts")).into_iter().flatten().flatten();
    attempts.map(|entry| entry.path()).any(journal)
}
