//! Arguments of `runner serve`.

use super::{PluginDirs, values};
use clap::{Args, ValueHint};
use std::net::IpAddr;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The port to listen on; 0 chooses a free one
    #[arg(
        long, value_name = "PORT", default_value_t = 8717,
        value_parser = values::from_to(0, u16::MAX)
    )]
    pub port: u16,
    /// The address to listen on; any but this machine's own asks browsers for a token
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub host: IpAddr,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// The results directory: its experiments are shown
    #[arg(
        long, short, value_name = "DIR", default_value = "results",
        value_hint = ValueHint::DirPath
    )]
    pub out: PathBuf,
    /// Where the page saves experiments [default: configs, if there is such a folder, else .]; its
    /// problems may use the files of data there, of at most 1 MB, unless it is . by default
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, value_parser = values::folder)]
    pub configs: Option<PathBuf>,
    /// Prefix of all addresses behind a proxy, such as /runner
    #[arg(long, value_name = "PATH", value_parser = base_path)]
    pub base_path: Option<String>,
    /// Maximum number of searches at a time, over all pages
    #[arg(
        long, value_name = "N", default_value_t = 16,
        value_parser = values::from_to(1, u16::MAX)
    )]
    pub runs: u16,
    /// Memory that all searches may take together, such as 4GB [default: half of what is free]
    #[arg(long, value_name = "SIZE", value_parser = values::bytes)]
    pub memory: Option<u64>,
    /// Time limit for reading results
    #[arg(
        long, value_name = "SECONDS", default_value_t = 60,
        value_parser = values::from_to(1, u32::MAX)
    )]
    pub read_seconds: u32,
    #[command(flatten)]
    pub plugins: PluginDirs,
    /// Load the plugin libraries that results name, wherever they are; use this only if you trust
    /// whoever made them
    #[arg(long)]
    pub trust: bool,
}

/// Parses a path that begins with a slash and does not end with one.
fn base_path(text: &str) -> Result<String, String> {
    let good = |c: char| c.is_ascii_alphanumeric() || "-_./~".contains(c);
    let path = text.trim_end_matches('/');
    let plain = path.chars().all(good) && !path.contains("//") && !path.contains("..");
    if path.is_empty() || path.starts_with('/') && plain {
        Ok(path.to_owned())
    } else {
        Err("a path begins with / and has letters, digits, - _ . ~ and / only".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::base_path;

    #[test]
    fn a_base_path_begins_with_a_slash_and_ends_without() {
        assert_eq!(base_path("/runner/").as_deref(), Ok("/runner"));
        assert_eq!(base_path("/").as_deref(), Ok(""));
        for wrong in ["runner", "/a b", "/a//b", "/../x", "/<script>"] {
            assert!(base_path(wrong).is_err(), "{wrong}");
        }
    }
}
