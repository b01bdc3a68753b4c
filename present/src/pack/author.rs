//! Authors of a pack, as the command line names them.

use std::str::FromStr;

/// Author of published results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    /// The full name.
    pub name: String,
    /// Address of the author's ORCID record; `None` if none was named.
    pub orcid: Option<String>,
}

/// Address of all ORCID records.
const ORCID: &str = "https://orcid.org/";

impl FromStr for Author {
    type Err = String;

    /// Parses `Name`, or `Name <https://orcid.org/0000-0002-1825-0097>`.
    fn from_str(text: &str) -> Result<Self, String> {
        let rule = "it must be a name, or a name and an ORCID iD, such as \
            \"Josiah Carberry <https://orcid.org/0000-0002-1825-0097>\"";
        let (name, orcid) = match text.split_once('<') {
            None => (text, None),
            Some((name, rest)) => (name, Some(rest.trim_end().strip_suffix('>').ok_or(rule)?)),
        };
        let name = name.trim();
        if name.is_empty() || name.contains(['>', '@']) || name.contains(char::is_control) {
            return Err(rule.to_owned());
        }
        let orcid = orcid.map(|orcid| {
            let digits = orcid.trim().strip_prefix(ORCID).unwrap_or(orcid.trim());
            match is_orcid(digits) {
                true => Ok(format!("{ORCID}{digits}")),
                false => Err(format!("`{}` is no ORCID iD; {rule}", orcid.trim())),
            }
        });
        Ok(Author { name: name.to_owned(), orcid: orcid.transpose()? })
    }
}

/// Returns whether these are four groups of four digits whose last one is the check digit of the
/// others (ISO 7064, MOD 11-2).
fn is_orcid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    if groups.len() != 4 || groups.iter().any(|group| group.len() != 4) {
        return false;
    }
    let digits = groups.concat();
    let (others, check) = digits.split_at_checked(15).unwrap_or_default();
    let sum = others.chars().try_fold(0, |sum, digit| Some((sum + digit.to_digit(10)?) * 2 % 11));
    let wanted = sum.map(|sum| match (12 - sum) % 11 {
        10 => "X".to_owned(),
        digit => digit.to_string(),
    });
    wanted.is_some_and(|wanted| wanted == check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn authors_have_a_name_and_perhaps_an_orcid() {
        let author = |name: &str, orcid: Option<&str>| {
            Ok(Author { name: name.to_owned(), orcid: orcid.map(str::to_owned) })
        };
        assert_eq!("Ada Lovelace".parse(), author("Ada Lovelace", None));
        // Both iDs are examples of ORCID's own documentation.
        let josiah = Some("https://orcid.org/0000-0002-1825-0097");
        assert_eq!("J. C. <0000-0002-1825-0097>".parse(), author("J. C.", josiah));
        assert_eq!(
            "J. C. <https://orcid.org/0000-0002-1825-0097> ".parse(),
            author("J. C.", josiah)
        );
        let other = Some("https://orcid.org/0000-0002-1694-233X");
        assert_eq!("L, G <0000-0002-1694-233X>".parse(), author("L, G", other));
        for wrong in [
            "",
            " ",
            "<0000-0002-1825-0097>",
            "A <0000-0002-1825-0097",
            "A <0000-0002-1825-0098>",
            "A <0000-0002-1694-2331>",
            "A <0000-0002-1825-00970>",
            "A <a@example.org>",
            "a@example.org",
            "A\nB",
            "A <ééééé-0002-1825-0097>",
        ] {
            let found = wrong.parse::<Author>();
            assert!(found.is_err_and(|words| words.contains("an ORCID iD")), "{wrong}");
        }
    }
}
