//! Symbols of a library that the system's loader binds to code or data of others.
//!
//! A function of a C library that has the name of one of the system's is not called by the library
//! itself: the loader looks in the program and its libraries first. For static data of classes,
//! inline functions and templates, GCC writes unique symbols (`STB_GNU_UNIQUE`). The loader keeps
//! one datum per name and process, whatever library it is in: the second library then works with
//! the data of the first, such as its parameters. Hidden symbols are safe from both.

use super::super::PluginError;
use object::elf::{STB_GLOBAL, STB_GNU_UNIQUE, STV_DEFAULT};
use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSymbol, ReadCache, RelocationTarget, SymbolFlags};
use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Library in this process that has unique symbols.
struct Loaded {
    /// Address of its table, which identifies it.
    table: usize,
    path: PathBuf,
    symbols: BTreeSet<String>,
}

static LOADED: Mutex<Vec<Loaded>> = Mutex::new(Vec::new());

/// Checks that a loaded library calls its own functions, and shares no data with another library.
/// Files of other formats than ELF are not looked at.
///
/// # Errors
/// Returns an error that names a symbol.
pub(super) fn check(path: &Path, table: usize) -> Result<(), PluginError> {
    let Some(Symbols { unique, replaced }) = Symbols::of(path) else { return Ok(()) };
    if let Some(symbol) = replaced {
        return Err(PluginError::Replaced { path: path.to_owned(), symbol });
    }
    if unique.is_empty() {
        return Ok(());
    }
    let mut loaded = LOADED.lock();
    if loaded.iter().any(|other| other.table == table) {
        return Ok(());
    }
    let shared = |other: &Loaded| {
        let symbol = other.symbols.intersection(&unique).next().cloned();
        Some((other.path.clone(), symbol?))
    };
    if let Some((other, symbol)) = loaded.iter().find_map(shared) {
        return Err(PluginError::SharedData { path: path.to_owned(), other, symbol });
    }
    loaded.push(Loaded { table, path: path.to_owned(), symbols: unique });
    Ok(())
}

struct Symbols {
    /// Unique symbols, without those of the C++ library, whose data are the same in all.
    unique: BTreeSet<String>,
    /// A symbol that the library uses and that the program or the system has, too.
    replaced: Option<String>,
}

impl Symbols {
    /// Reads the symbols of an ELF file; `None` if the file is another or cannot be read.
    fn of(path: &Path) -> Option<Self> {
        let cache = ReadCache::new(File::open(path).ok()?);
        let file = ElfFile64::<Endianness, &ReadCache<File>>::parse(&cache).ok()?;
        let (mut unique, mut exported) = (BTreeSet::new(), Vec::new());
        for symbol in file.dynamic_symbols().filter(ObjectSymbol::is_definition) {
            let SymbolFlags::Elf { st_info, st_other } = symbol.flags() else { continue };
            let binding = st_info >> 4;
            let is_exported = binding == STB_GLOBAL && st_other & 3 == STV_DEFAULT;
            if !is_exported && binding != STB_GNU_UNIQUE {
                continue;
            }
            let Ok(name) = symbol.name() else { continue };
            if !is_exported && !is_of_the_cpp_library(name) {
                unique.insert(name.to_owned());
            } else if is_exported && program_has(name) {
                exported.push((symbol.index(), name));
            }
        }
        let mut replaced = None;
        if !exported.is_empty() {
            // A symbol that the library reaches by its address is not looked for by its name.
            let used =
                file.dynamic_relocations().into_iter().flatten().map(|(_, one)| one.target());
            let used: Vec<RelocationTarget> = used.collect();
            let is_used = |index| used.contains(&RelocationTarget::Symbol(index));
            replaced = exported.iter().find(|(index, _)| is_used(*index));
        }
        Some(Symbols { unique, replaced: replaced.map(|(_, name)| (*name).to_owned()) })
    }
}

/// Returns whether the program or one of its libraries, where the loader looks first, has a symbol.
#[cfg(unix)]
fn program_has(name: &str) -> bool {
    use libloading::os::unix::Library;
    // SAFETY: only the symbol's presence is checked; it is never used.
    unsafe { Library::this().get::<*const u8>(name.as_bytes()) }.is_ok()
}

#[cfg(not(unix))]
fn program_has(_: &str) -> bool {
    false
}

/// Returns whether a mangled name is in the namespace `std` or `__gnu_cxx` (Itanium C++ ABI,
/// section 5.1).
fn is_of_the_cpp_library(name: &str) -> bool {
    let name = ["_ZGVZ", "_ZGV", "_ZZ", "_Z"].iter().find_map(|start| name.strip_prefix(start));
    let name = name.map(|name| name.strip_prefix('N').unwrap_or(name));
    let name = name.map(|name| name.strip_prefix('K').unwrap_or(name));
    name.is_some_and(|name| {
        ["St", "Sa", "Ss", "9__gnu_cxx"].iter().any(|std| name.starts_with(std))
    })
}

#[cfg(test)]
mod tests {
    use super::is_of_the_cpp_library;

    #[test]
    fn names_of_the_cpp_library_are_told_from_others() {
        for name in [
            "_ZZNSt8__detail18__to_chars_10_implIjEEvPcjT_E8__digits",
            "_ZNSt8messagesIcE2idE",
            "_ZGVZNKSt8__detail4_FooEvE1x",
            "_ZN9__gnu_cxx3fooE",
        ] {
            assert!(is_of_the_cpp_library(name), "{name}");
        }
        for name in [
            "_ZN7Problem10parametersE",
            "_ZZNK7Problem7fitnessEN6runner6GenomeIKhEEE7weights",
            "_ZGVZNK7Problem7fitnessEN6runner6GenomeIKhEEE7weights",
            "weights",
        ] {
            assert!(!is_of_the_cpp_library(name), "{name}");
        }
    }
}
