//! Licence of a pack, as the command line names it.

use std::str::FromStr;

/// Licence of published results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum License {
    /// Identifier of the SPDX list, such as `CC-BY-4.0`.
    Spdx(String),
    /// Address of the licence's text.
    Address(String),
}

impl License {
    /// Returns the identifier or the address, as it was named.
    pub(super) fn text(&self) -> &str {
        match self {
            License::Spdx(text) | License::Address(text) => text,
        }
    }

    /// Returns the address of the licence's text.
    pub(super) fn address(&self) -> String {
        match self {
            License::Spdx(name) => format!("https://spdx.org/licenses/{name}"),
            License::Address(address) => address.clone(),
        }
    }
}

impl FromStr for License {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_graphic = |text: &str| {
            text.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"\\^`{|}".contains(&byte))
        };
        let rest = ["https://", "http://"].iter().find_map(|scheme| text.strip_prefix(scheme));
        if rest.is_some_and(|rest| !rest.is_empty() && is_graphic(rest)) {
            return Ok(License::Address(text.to_owned()));
        }
        let of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-.+".contains(&byte);
        if text.starts_with(|first: char| first.is_ascii_alphanumeric())
            && text.bytes().all(of_name)
        {
            return Ok(License::Spdx(text.to_owned()));
        }
        Err("it must be an SPDX identifier, such as CC-BY-4.0 or MIT, or the address of a \
            licence, such as https://creativecommons.org/licenses/by/4.0/"
            .to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_are_identifiers_or_addresses() {
        assert_eq!("CC-BY-4.0".parse(), Ok(License::Spdx("CC-BY-4.0".to_owned())));
        let address = "https://example.org/terms?x=1";
        assert_eq!(address.parse(), Ok(License::Address(address.to_owned())));
        for wrong in ["", "MIT OR Apache-2.0", "https://", "ftp://x", "http://a b", "-x", "MIT\n"] {
            let found = wrong.parse::<License>();
            assert!(found.is_err_and(|words| words.contains("an SPDX identifier")), "{wrong}");
        }
    }
}
