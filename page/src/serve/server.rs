//! The server: its routes, its start and its end.

use super::access::{Access, AskedBy, guard_access, guard_asker};
use super::app::{App, ServeOptions};
use super::connections::{accept, gather};
use super::error::ServeError;
use super::experiments::Experiments;
use super::limits::{Limits, limit_checks};
use super::memory::Memory;
use super::runs::Runs;
use super::{assets, check, experiment, form, listing, pages, run_request, save};
use crate::problem::PluginPolicy;
use crate::run::{Isolation, WorkerCommand};
use crate::system::interrupt::Interrupt;
use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use futures_util::future::select;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// Time that a plugin may take to load and to make a problem.
const PATIENCE: Duration = Duration::from_secs(10);
/// Number of threads for blocking work: reading files, and waiting for processes.
const THREADS: usize = 64;
/// Interval at which the server checks whether it is to end.
const TICK: Duration = Duration::from_millis(100);
/// Time that a server that ends waits for its threads.
const ENDING: Duration = Duration::from_secs(2);

/// Serves the page until `interrupt` is raised. `announce` is told the address, once it answers.
///
/// # Errors
/// Returns an error if the server cannot listen at the address, or lacks system resources.
pub fn serve(
    options: ServeOptions,
    interrupt: &Interrupt,
    announce: impl FnOnce(&str),
) -> Result<(), ServeError> {
    let policy = PluginPolicy::listed(&options.search);
    let command = WorkerCommand::of(&options.search, policy).map_err(ServeError::Worker)?;
    let command = WorkerCommand { patience: PATIENCE, ..command };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS)
        // A worker process ends with the thread that started it: on Linux, the signal at a parent's
        // death is sent at that thread's.
        .thread_keep_alive(Duration::from_secs(u64::from(u32::MAX)))
        .build()
        .map_err(ServeError::Start)?;
    let served = runtime.block_on(listen(options, command, interrupt, announce));
    // They end their processes, unless the system holds them up: then it ends those with this one.
    runtime.shutdown_timeout(ENDING);
    served
}

async fn listen(
    options: ServeOptions,
    command: WorkerCommand,
    interrupt: &Interrupt,
    announce: impl FnOnce(&str),
) -> Result<(), ServeError> {
    let address = SocketAddr::new(options.host, options.port);
    let failed = |error| ServeError::Listen { address, error };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let access = Arc::new(Access::new(bound, options.token.clone()));
    let token = options.token.as_ref().map_or_else(String::new, |token| format!("?token={token}"));
    let shown = format!("http://{bound}{}/{token}", options.base_path);
    let loader = Isolation::Processes(command.clone()).plugin_loader(interrupt);
    let app = Arc::new(App {
        runs: Arc::new(Runs::new(options.runs)),
        memory: Memory::new(options.memory),
        limits: Arc::new(Limits::new()),
        experiments: Experiments::new(options.out.clone()),
        options,
        command,
        loader,
        interrupt: interrupt.clone(),
    });
    announce(&shown);
    let ended = async {
        while !interrupt.is_raised() {
            tokio::time::sleep(TICK).await;
        }
    };
    select(pin!(accept(listener, router(&app, &access))), pin!(ended)).await;
    app.runs.ended().await;
    Ok(())
}

fn router(app: &Arc<App>, access: &Arc<Access>) -> Router {
    let limited = from_fn_with_state(Arc::clone(&app.limits), limit_checks);
    let open = Router::new()
        .route("/", get(pages::watch))
        .route("/results", get(pages::results))
        .route("/results/{name}", get(pages::experiment))
        .route("/together", get(pages::together))
        .route("/assets/{name}", get(assets::asset));
    let linked = Router::new().route("/api/experiments/{name}/report", get(experiment::report));
    let scripted = Router::new()
        .route("/api/form", get(form::form).layer(limited.clone()))
        .route("/api/data", get(form::data).layer(limited.clone()))
        .route("/api/check", post(check::check).layer(limited))
        .route("/api/save", post(save::save))
        .route("/api/runs", post(run_request::begin))
        .route("/api/runs/{id}/order", post(run_request::order))
        .route("/api/runs/{id}/events", get(run_request::events))
        .route("/api/experiments", get(listing::list))
        .route("/api/list", get(listing::watch))
        .route("/api/lines", post(listing::lines))
        .route("/api/together", post(listing::together))
        .route("/api/experiments/{name}", get(experiment::one))
        .route("/api/experiments/{name}/events", get(experiment::events))
        .route("/api/experiments/{name}/comparison", get(experiment::comparison))
        .route("/api/experiments/{name}/plots", get(experiment::plots))
        .route("/api/experiments/{name}/plots/{plot}", get(experiment::plot));
    let asked = |routes: Router<Arc<App>>, by: AskedBy| {
        routes.route_layer(from_fn_with_state((Arc::clone(access), by), guard_asker))
    };
    let routes = asked(open, AskedBy::Anybody)
        .merge(asked(linked, AskedBy::OurLinks))
        .merge(asked(scripted, AskedBy::OurScripts));
    let routes = match app.options.base_path.as_str() {
        "" => routes,
        base => {
            let start = Router::new().route(&format!("{base}/"), get(pages::watch));
            asked(start, AskedBy::Anybody).nest(base, routes)
        }
    };
    let guarded = from_fn_with_state(Arc::clone(access), guard_access);
    routes.layer(from_fn(gather)).layer(guarded).with_state(Arc::clone(app))
}
