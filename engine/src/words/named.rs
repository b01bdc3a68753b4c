//! Enums whose variants have names.

/// Declares an enum whose variants have names, in configs, tables and messages. `Display` writes
/// the name.
#[macro_export]
macro_rules! named {
    (
        $(#[$about:meta])*
        $visibility:vis enum $name:ident {
            $($(#[$doc:meta])* $variant:ident = $word:literal),+ $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility enum $name {
            $($(#[$doc])* $variant),+
        }

        #[allow(dead_code, reason = "not every enum needs all of them")]
        impl $name {
            /// All variants, in the order of the documentation.
            $visibility const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// Returns the name.
            #[must_use]
            $visibility const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }

            /// Returns the variant with this name; `None` if there is none.
            #[must_use]
            $visibility fn parse(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|variant| variant.as_str() == name)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.pad(self.as_str())
            }
        }
    };
}
