//! Request of a configurator: one trial, as the words of its target runner ask for it.

use crate::cli::arguments::TargetForm;

/// Length by which ParamILS says that there is no limit.
const NO_LENGTH: u64 = 2_147_483_647;

/// Trial that a configurator asks for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub seed: String,
    /// Keys and values, as `--set` takes them: those of the instance, then the parameters.
    pub set: Vec<String>,
}

impl Request {
    /// Parses the words of a configurator.
    ///
    /// # Errors
    /// Returns a message if words are missing, or have another form.
    pub(super) fn parse(form: TargetForm, words: &[String]) -> Result<Self, String> {
        match form {
            TargetForm::Irace => irace(words),
            TargetForm::Paramils => paramils(words),
            TargetForm::Smac => smac(words),
        }
    }
}

fn irace(words: &[String]) -> Result<Request, String> {
    let [_, _, seed, instance, rest @ ..] = words else {
        return Err(
            "irace gives the words CONFIGURATION INSTANCE-NUMBER SEED INSTANCE, then parameters"
                .to_owned(),
        );
    };
    if let Some(bound) = rest.first().filter(|word| !word.starts_with('-')) {
        return Err(format!(
            "`{bound}` is a bound on the time, which depends on the machine; set capping = 0 in \
            the scenario of irace, and a budget with stop.evaluations"
        ));
    }
    let parameters = switches(rest)?.into_iter().map(set);
    Ok(Request { seed: seed.clone(), set: keys_of(instance).chain(parameters).collect() })
}

/// The time limit does not apply, because results may not depend on the machine.
fn paramils(words: &[String]) -> Result<Request, String> {
    let [instance, _, _, length, seed, rest @ ..] = words else {
        return Err(
            "ParamILS gives the words INSTANCE SPECIFICS TIME LENGTH SEED, then parameters"
                .to_owned(),
        );
    };
    let limit = length
        .parse()
        .map_err(|_| format!("`{length}` is no length; give a number of evaluations, or 0"))?;
    let limit = Some(limit).filter(|limit| (1..NO_LENGTH).contains(limit));
    let budget = limit.map(|limit: u64| format!("stop.evaluations={limit}"));
    let parameters = switches(rest)?.into_iter().map(set);
    let set = keys_of(instance).chain(budget).chain(parameters).collect();
    Ok(Request { seed: seed.clone(), set })
}

fn smac(words: &[String]) -> Result<Request, String> {
    let (mut seed, mut instance, mut parameters) = (None, String::new(), Vec::new());
    for (name, value) in switches(words)? {
        match name {
            "seed" => seed = Some(value),
            "instance" => instance = value,
            // Features describe an instance to the configurator's model.
            "instance_features" => {}
            "budget" => parameters.push(set(("stop.evaluations", whole(value)))),
            _ => parameters.push(set((name, value))),
        }
    }
    let seed = seed.ok_or("SMAC gives --seed=SEED; make the scenario with deterministic=False")?;
    Ok(Request { seed, set: keys_of(&instance).chain(parameters).collect() })
}

/// Returns a budget as a whole number of evaluations, at least 1: SMAC's budgets are real numbers
/// between the least and the greatest of the scenario. Returns another text as it is.
fn whole(budget: String) -> String {
    match budget.parse::<f64>() {
        Ok(number) if (0.0..=1e15).contains(&number) => {
            format!("{}", number.round().max(1.0) as u64)
        }
        _ => budget,
    }
}

/// Parses `--name value`, `-name value` and `--name=value`.
fn switches(words: &[String]) -> Result<Vec<(&str, String)>, String> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let name = word.trim_start_matches('-');
        if name.len() == word.len() || name.is_empty() {
            return Err(format!("`{word}` is no parameter; write --KEY VALUE or --KEY=VALUE"));
        }
        found.push(match name.split_once('=') {
            Some((name, value)) => (name, value.to_owned()),
            None => {
                let value = words.next();
                let missing = || format!("`{word}` has no value; write --KEY VALUE");
                (name, value.ok_or_else(missing)?.clone())
            }
        });
    }
    Ok(found)
}

fn set((name, value): (&str, String)) -> String {
    format!("{name}={value}")
}

/// Returns the keys of an instance such as `problem.n=12,problem.seed=3`; none if it is `-`.
fn keys_of(instance: &str) -> impl Iterator<Item = String> {
    let keys = instance.split(',').filter(|key| !["", "-"].contains(key));
    keys.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(form: TargetForm, words: &str) -> Result<Request, String> {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        Request::parse(form, &words)
    }

    fn request(seed: &str, set: &[&str]) -> Result<Request, String> {
        let set = set.iter().map(|one| (*one).to_owned()).collect();
        Ok(Request { seed: seed.to_owned(), set })
    }

    #[test]
    fn each_form_has_its_words() {
        let irace = "1 2 77 problem.n=12,problem.k=3 --stop.evaluations 50 --a.b=-0.5";
        let expected =
            request("77", &["problem.n=12", "problem.k=3", "stop.evaluations=50", "a.b=-0.5"]);
        assert_eq!(parse(TargetForm::Irace, irace), expected);
        assert_eq!(parse(TargetForm::Irace, "1 2 77 -"), request("77", &[]));
        let paramils = "problem.n=12 0 5.0 900 77 -a.b -0.5 -c x";
        let expected = request("77", &["problem.n=12", "stop.evaluations=900", "a.b=-0.5", "c=x"]);
        assert_eq!(parse(TargetForm::Paramils, paramils), expected);
        assert_eq!(parse(TargetForm::Paramils, "- 0 5 2147483647 77"), request("77", &[]));
        let smac = "--instance=problem.n=12 --instance_features=[] --seed=77 --a.b=0.5 --budget=9";
        let expected = request("77", &["problem.n=12", "a.b=0.5", "stop.evaluations=9"]);
        assert_eq!(parse(TargetForm::Smac, smac), expected);
        // SMAC 3 writes budgets as real numbers.
        for (budget, evaluations) in [("100.0", 100), ("3.7037", 4), ("0.2", 1), ("1e3", 1_000)] {
            let set = format!("stop.evaluations={evaluations}");
            let words = format!("--seed=7 --budget={budget}");
            assert_eq!(parse(TargetForm::Smac, &words), request("7", &[&set]));
        }
    }

    #[test]
    fn wrong_words_are_named() {
        for (form, words, told) in [
            (TargetForm::Irace, "1 2 77", "INSTANCE-NUMBER SEED INSTANCE"),
            (TargetForm::Irace, "1 2 77 - 30", "capping = 0"),
            (TargetForm::Irace, "1 2 77 - --a 1 b", "`b` is no parameter"),
            (TargetForm::Irace, "1 2 77 - --a", "`--a` has no value"),
            (TargetForm::Paramils, "- 0 5 77", "TIME LENGTH SEED"),
            (TargetForm::Paramils, "- 0 5 x 77", "`x` is no length"),
            (TargetForm::Smac, "--a=1", "--seed=SEED"),
            (TargetForm::Smac, "--", "`--` is no parameter"),
        ] {
            let error = parse(form, words).expect_err(words);
            assert!(error.contains(told), "{words}: {error}");
        }
    }
}
