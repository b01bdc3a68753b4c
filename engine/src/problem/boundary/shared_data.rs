//! Static data that two libraries of one process would share.
//!
//! For static data of classes, inline functions and templates, GCC writes unique symbols
//! (`STB_GNU_UNIQUE`). The system's loader keeps one datum per name and process, whatever library
//! it is in: the second library then works with the data of the first, such as its parameters.

use super::super::PluginError;
use object::elf::STB_GNU_UNIQUE;
use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSymbol, ReadCache, SymbolFlags};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Library in this process that has unique symbols.
struct Loaded {
    /// Address of its table, which identifies it.
    table: usize,
    path: PathBuf,
    symbols: BTreeSet<String>,
}

static LOADED: Mutex<Vec<Loaded>> = Mutex::new(Vec::new());

/// Checks that a loaded library shares no data with another.
///
/// # Errors
/// Returns an error that names a shared symbol.
pub(super) fn check(path: &Path, table: usize) -> Result<(), PluginError> {
    let symbols = unique_symbols(path).unwrap_or_default();
    if symbols.is_empty() {
        return Ok(());
    }
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if loaded.iter().any(|other| other.table == table) {
        return Ok(());
    }
    let shared = |other: &Loaded| Some((other.path.clone(), common(&other.symbols, &symbols)?));
    if let Some((other, symbol)) = loaded.iter().find_map(shared) {
        return Err(PluginError::SharedData { path: path.to_owned(), other, symbol });
    }
    loaded.push(Loaded { table, path: path.to_owned(), symbols });
    Ok(())
}

fn common(one: &BTreeSet<String>, other: &BTreeSet<String>) -> Option<String> {
    one.intersection(other).next().cloned()
}

/// Returns the unique symbols of an ELF file, without those of the C++ library, whose data are the
/// same in all; `None` if the file is another or cannot be read.
fn unique_symbols(path: &Path) -> Option<BTreeSet<String>> {
    let cache = ReadCache::new(File::open(path).ok()?);
    let file = ElfFile64::<Endianness, &ReadCache<File>>::parse(&cache).ok()?;
    let unique = file.dynamic_symbols().filter(|symbol| {
        let SymbolFlags::Elf { st_info, .. } = symbol.flags() else { return false };
        st_info >> 4 == STB_GNU_UNIQUE && symbol.is_definition()
    });
    let names = unique.filter_map(|symbol| symbol.name().ok().map(str::to_owned));
    Some(names.filter(|name| !is_of_the_cpp_library(name)).collect())
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
