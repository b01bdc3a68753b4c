//! `runner certify`: tests whether the operators do what their sources say.

use super::output::put;
use crate::certify::{Certificate, FALSE_ALARMS, Trials, certified, certify as run};
use crate::cli::Failure;
use crate::cli::arguments::CertifyArguments;
use crate::exit::Exit;
use crate::present::report::{TableFormat, fitted, paragraph};
use crate::present::terminal;
use crate::system::output::put_exactly;
use crate::words::{count, nearest};
use serde_json::json;

pub(super) fn certify(arguments: &CertifyArguments) -> Result<Exit, Failure> {
    let names = certified();
    if let Some(name) = &arguments.name
        && !names.contains(&name.as_str())
    {
        let near = nearest(name, names.iter().copied());
        let help = near.map_or_else(
            || format!("there are {}", names.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        return Err(Failure::usage(format!(
            "there is no operator or slot with checks called `{name}`; {help}"
        )));
    }
    let certificates = run(&Trials, arguments.name.as_deref(), arguments.seed);
    let failed = certificates.iter().filter(|one| !one.passed).count();
    if arguments.json {
        put_exactly(&format!("{}\n", json(&certificates)));
    } else if arguments.csv {
        put_exactly(&terminal::certificates(&certificates).text(TableFormat::Csv));
    } else {
        let report = terminal::certificates(&certificates);
        put(&fitted(&[report], terminal::width().into(), "--csv"));
        let counts = format!(
            "{} of {} checks passed. If every operator is correct, the whole suite fails for at \
            most one in {} seeds.",
            certificates.len() - failed,
            certificates.len(),
            count((1.0 / FALSE_ALARMS).round() as u64)
        );
        put(&paragraph(&counts, terminal::width().into()));
    }
    Ok(if failed > 0 { Exit::SomeFailed } else { Exit::Done })
}

fn json(certificates: &[Certificate]) -> String {
    let row = |one: &Certificate| {
        json!({
            "slot": one.slot,
            "operator": one.operator,
            "claim": one.claim,
            "statistic": one.statistic,
            "p": one.p,
            "passed": one.passed,
        })
    };
    let rows: Vec<_> = certificates.iter().map(row).collect();
    serde_json::to_string_pretty(&rows).expect("strings and numbers are JSON")
}
