//! Which system a program needs: the newest glibc among its symbols, and its libraries.

use crate::Outcome;
use object::Endianness;
use object::elf::FileHeader64;
use object::read::elf::FileHeader;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A version of glibc, such as 2.31.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    major: u32,
    minor: u32,
    patch: u32,
}

/// Debian 11's: what releases may need at most.
pub(crate) const OLDEST: Version = Version { major: 2, minor: 31, patch: 0 };

/// Libraries of every Debian, Ubuntu, Fedora or SUSE of the last years: glibc's own, and GCC's
/// unwinder.
const LIBRARIES: [&str; 7] = [
    "libc.so.6",
    "libm.so.6",
    "libdl.so.2",
    "libpthread.so.0",
    "librt.so.1",
    "ld-linux-x86-64.so.2",
    UNWINDER,
];

/// GCC's unwinder.
const UNWINDER: &str = "libgcc_s.so.1";

impl FromStr for Version {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<u32>> = text.split('.').map(|part| part.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[major, minor]) => Ok(Version { major, minor, patch: 0 }),
            Some(&[major, minor, patch]) => Ok(Version { major, minor, patch }),
            _ => Err(format!("`{text}` is no version of glibc such as 2.31")),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Version { major, minor, patch: 0 } => write!(out, "{major}.{minor}"),
            Version { major, minor, patch } => write!(out, "{major}.{minor}.{patch}"),
        }
    }
}

impl Version {
    /// Its major and minor numbers, joined for the tag of a wheel.
    pub(crate) fn tag(self) -> String {
        format!("{}_{}", self.major, self.minor)
    }
}

/// Requirements of a program or library on the system.
pub(crate) struct Needs {
    pub glibc: Version,
    /// Whether it needs GCC's unwinder, which Debian has in a package of its own.
    pub unwinder: bool,
}

/// Reads them from the file.
pub(crate) fn needs(path: &Path) -> Outcome<Needs> {
    let at = |error: object::read::Error| format!("{}: {error}", path.display());
    let data = std::fs::read(path)?;
    let header = FileHeader64::<Endianness>::parse(&*data).map_err(at)?;
    let endian = header.endian().map_err(at)?;
    let sections = header.sections(endian, &*data).map_err(at)?;
    let mut needs = Needs { glibc: Version::default(), unwinder: false };
    let verneed = sections.gnu_verneed(endian, &*data).map_err(at)?;
    let Some((mut libraries, link)) = verneed else { return Ok(needs) };
    let names = sections.strings(endian, &*data, link).map_err(at)?;
    while let Some((library, mut versions)) = libraries.next().map_err(at)? {
        let file = library.file(endian, names).map_err(at)?;
        let file = String::from_utf8_lossy(file).into_owned();
        if !LIBRARIES.contains(&&*file) {
            return Err(
                format!("{} needs {file}, which not every system has", path.display()).into()
            );
        }
        needs.unwinder |= file == UNWINDER;
        while let Some(version) = versions.next().map_err(at)? {
            let name = version.name(endian, names).map_err(at)?;
            if let Some(number) = std::str::from_utf8(name)?.strip_prefix("GLIBC_") {
                needs.glibc = needs.glibc.max(number.parse()?);
            }
        }
    }
    Ok(needs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_as_numbers() {
        let version = |text: &str| text.parse::<Version>().expect("a version");
        assert!(version("2.4") < OLDEST && OLDEST < version("2.31.1"));
        assert!(version("2.31.1") < version("2.100"));
        assert_eq!((OLDEST.to_string(), OLDEST.tag()), ("2.31".into(), "2_31".into()));
        assert!("PRIVATE".parse::<Version>().is_err());
    }

    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn this_program_needs_a_glibc() {
        let program = std::env::current_exe().expect("this program");
        let needs = needs(&program).expect("what it needs");
        assert!(needs.glibc >= "2.2.5".parse().expect("a version"), "{}", needs.glibc);
    }
}
