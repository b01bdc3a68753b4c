"""Problems and operators for `runner` in Python.

A problem is a file with a class called `Problem`:

    from runner import Bits, Integer

    class Problem:
        parameters = {"n": Integer(20, low=1, high=10_000, doc="Bits.")}

        def __init__(self, n):
            self.n = n

        def describe(self):
            return Bits(self.n, ideal=0, worst=self.n)

        def fitness(self, genome):
            return self.n - sum(genome)

A file may also have operators for the problems of others, besides a problem or without one:

    from runner import Mutation

    class Reversal(Mutation):
        def mutate(self, genome, rng):
            genome.reverse()

`runner` starts an interpreter, hands it this file, and asks it for the fitness of genomes through a
pair of pipes. The protocol is described in docs/programs.md; this file needs nothing but Python
3.9's standard library, and uses numpy only where the file imports it when it is loaded.
"""

import sys

# Python before 3.11 looks for modules in the working folder first, whose files may be anybody's. The
# modules below are all that this file needs, so none is looked for beside the problem either.
if sys.path[:1] == [""]:
    del sys.path[0]

import _thread
import ast
import fcntl
import gc
import importlib.util
import inspect
import json
import os
import platform
import random
import signal
import struct

PROTOCOL = 2
PYTHON = f"{platform.python_implementation()} {platform.python_version()}"

# What is asked for, and how an answer begins.
HELLO, CREATE, EVALUATE, SAMPLE, CROSSOVER, MUTATE, IS_VALID, RENDER, ENUMERATE, NUMBER = range(10)
EVALUATE_CONSTRAINED, DESTROY, CREATE_OPERATOR, SELECT, MEMORY, BEGIN, ASK, TELL, EVALUATE_NOISY, STATE, RESTORE = range(10, 21)
OK, NONE, FAILED = range(3)

CALLS = ("sample", "fitness", "evaluate", "noiseless", "violation", "violations", "crossover", "mutate", "is_valid", "render", "enumerate", "number")
FORMATS = {1: "line", 2: "board", 3: "svg"}
# What stands before the body of a request (length, kind, secret, number) and of an answer (length,
# status, secret, number, process); the secret stands once more after it.
REQUEST, ANSWER, SECRET = struct.Struct("<IBQQ"), struct.Struct("<IBQQI"), struct.Struct("<Q")
# Instance and rows of a request.
HEAD = struct.Struct("<II")
# By the kind of gene: how `struct`, `memoryview` and numpy call it, and its size in bytes.
GENES = {"u8": ("B", 1), "u16": ("H", 2), "u32": ("I", 4), "f64": ("d", 8)}

__all__ = ["Bits", "Integers", "Permutation", "Reals", "Mixed", "Opaque", "Bit", "Integer", "Real", "Boolean", "Choice", "Text", "File", "Selection", "Crossover", "Mutation", "Algorithm"]

_REQUIRED = object()


class Parameter:
    """What a user may set in the table [problem]. Without a default it must be set."""

    def __init__(self, kind, default, doc, **more):
        self.declared = {"kind": kind, "doc": doc, **more}
        if default is not _REQUIRED:
            self.declared["default"] = default

    def __repr__(self):
        given = [f"{key}={value!r}" for key, value in self.declared.items() if key not in ("kind", "doc")]
        return f"{self.declared['kind'].capitalize()}({', '.join(given)})"

    def added_later(self):
        """The same parameter, added to a problem that has arms already: at its default it is no part of their settings."""
        if "default" not in self.declared:
            raise TypeError("a parameter that is added later has a default")
        self.declared["later"] = True
        return self


def _is_bound(number, kind):
    """Whether a gene of a kind can have the bound, which is sent as a double."""
    try:
        double = float(number)
        # numpy compares its own whole numbers as doubles.
        return abs(double) < float("inf") and (kind != "integer" or double == number and int(double) == int(number))
    except (TypeError, ValueError, OverflowError):
        return False


class Gene:
    """A gene of a mixed genome: `kind` is "real", "integer", "choice" or "bit". A name is shown in
    tables."""

    def __init__(self, kind, name, *, low=None, high=None, choices=None):
        for bound in (low, high):
            if bound is not None and not _is_bound(bound, kind):
                raise ValueError(f"{bound!r:.80} is no bound of a gene: numbers are finite, whole ones from -2^53 to 2^53")
        self.kind, self.name, self.low, self.high = kind, name, low, high
        self.choices = choices
        self._numbers = {word: float(at) for at, word in enumerate(choices or ())}

    def __repr__(self):
        values = self.choices if self.kind == "choice" else [self.low, self.high] * (self.low is not None)
        return f"{self.kind.capitalize()}({', '.join(map(repr, values))})"

    def declare(self):
        of = {"kind": self.kind, "name": self.name}
        if self.kind == "choice":
            return {**of, "choices": self.choices}
        return of if self.low is None else {**of, "low": float(self.low), "high": float(self.high)}

    def value(self, number):
        """The value of a number: a float, an int, a word, or a bool."""
        if self.kind == "real":
            return number
        if self.kind == "bit":
            return number == 1
        return int(number) if self.kind == "integer" else self.choices[int(number)]

    def number(self, value):
        """The number of a value, or None if it is none of the kind."""
        if self.kind == "choice":
            return self._numbers.get(value) if isinstance(value, str) else None
        if isinstance(value, (str, bytes)) or _is_complex(type(value)):
            return None
        try:
            return float(value)
        except (TypeError, ValueError, OverflowError):
            return None

    def sample(self, rng):
        """A value at random, by a generator of Python or numpy."""
        if self.kind == "real":
            return float(rng.uniform(self.low, self.high))
        low, high = (0, 1) if self.kind == "bit" else (self.low, self.high)
        if self.kind == "choice":
            low, high = 0, len(self.choices) - 1
        # numpy's generators draw below the end.
        whole = rng.integers(low, high + 1) if hasattr(rng, "integers") else rng.randint(low, high)
        return self.value(int(whole))


def _numbers(kind, given, more, name, **declared):
    """A parameter, or, of two numbers, a gene between them."""
    if more:
        if len(more) > 1:
            raise TypeError(f"{kind.capitalize()} of a gene has two numbers, the least and the greatest")
        if declared.pop("doc"):
            raise TypeError("a gene has no doc, but may have a name")
        return Gene(kind, name, low=given, high=more[0])
    if name:
        raise TypeError(f"a parameter has no name: {kind.capitalize()} of a gene has two numbers, the least and the greatest")
    return Parameter(kind, given, **declared)


def Integer(default=_REQUIRED, *more, low=-(2**63), high=2**63 - 1, doc="", name=""):
    """A parameter that is a whole number from low to high; `Integer(1, 9)` is a gene of Mixed."""
    return _numbers("integer", default, more, name, doc=doc, low=low, high=high)


def Real(default=_REQUIRED, *more, low=-sys.float_info.max, high=sys.float_info.max, doc="", name=""):
    """A parameter that is a number between low and high; `Real(0, 1)` is a gene of Mixed."""
    low, high = max(low, -sys.float_info.max), min(high, sys.float_info.max)
    return _numbers("real", default, more, name, doc=doc, low=low, high=high)


def Bit(*, name=""):
    """A gene of Mixed that is False or True."""
    return Gene("bit", name)


def Boolean(default=_REQUIRED, *, doc=""):
    """True or False."""
    return Parameter("boolean", default, doc)


def Choice(default=_REQUIRED, *more, choices=None, doc="", name=""):
    """A parameter that is one of these words; `Choice("a", "b")` is a gene of Mixed."""
    if choices is not None:
        if more or name:
            raise TypeError("Choice has `choices`, for a parameter, or words alone, for a gene")
        return Parameter("choice", default, doc, choices=list(choices))
    words = [default, *more]
    if len(words) < 2 or doc or not all(isinstance(word, str) for word in words):
        raise TypeError("Choice needs choices=[…], for a parameter, or two or more words alone, for a gene")
    return Gene("choice", name, choices=words)


def Text(default=_REQUIRED, *, doc=""):
    """Any text."""
    return Parameter("text", default, doc)


def File(default=_REQUIRED, *, doc=""):
    """The path of a file, absolute in the problem; with the default "" it may be left out."""
    return Parameter("file", default, doc)


class Description:
    """What the genomes of a problem are, and which fitness is best and worst."""

    def __init__(self, encoding, length, low, high, gene, ideal, worst, tolerance, space_size, genes=None):
        self.encoding, self.length = encoding, None if isinstance(length, (str, bytes)) else _whole(length)
        if self.length is None or self.length < 1:
            raise Refused(f"describe gives the length {length!r:.80}, but it must be a whole number of at least 1")
        self.low, self.high = low, high
        # Those of mixed genomes, else None.
        self.genes = genes
        # Whether the problem chose the kind of gene: numpy arrays then have just this type.
        self.chosen = gene is not None
        self.gene = gene or _narrowest(encoding, self.length, high)
        self.ideal, self.worst = ideal, worst
        self.tolerance, self.space_size = tolerance, space_size


def _whole(number):
    """The whole number that this is, also as 32.0; None if it is none."""
    try:
        whole = int(number)
    except (TypeError, ValueError, OverflowError):
        return None
    return whole if whole == number else None


def _narrowest(encoding, length, high):
    if encoding in ("real", "mixed"):
        return "f64"
    if encoding == "opaque":
        return "u32"
    highest = {"bits": 1, "permutation": length - 1}.get(encoding)
    if highest is None:
        highest = max(high)
    return "u8" if highest < 1 << 8 else "u16" if highest < 1 << 16 else "u32"


def _bounds(low, high):
    """Lower and upper bounds: one each, or as many as there are genes."""
    bounds = [[float(one) for one in bound] if hasattr(bound, "__len__") else [float(bound)] for bound in (low, high)]
    single = [not hasattr(bound, "__len__") for bound in (low, high)]
    if single[0] != single[1]:
        bounds[single.index(True)] *= len(bounds[single.index(False)])
    return bounds


def Bits(length, *, ideal=None, worst=None, tolerance=None, space_size=None, gene=None):
    """`length` genes, each 0 or 1."""
    return Description("bits", length, [], [], gene, ideal, worst, tolerance, space_size)


def Integers(length, low, high, *, ideal=None, worst=None, tolerance=None, space_size=None, gene=None):
    """`length` genes, each a whole number from low to high; a bound is a number, or one per gene."""
    return Description(
        "integer", length, *_bounds(low, high), gene, ideal, worst, tolerance, space_size
    )


def Permutation(length, *, ideal=None, worst=None, tolerance=None, space_size=None, gene=None):
    """Each of 0..length exactly once."""
    return Description("permutation", length, [], [], gene, ideal, worst, tolerance, space_size)


def Reals(length, low, high, *, ideal=None, worst=None, tolerance=None, space_size=None):
    """`length` genes, each a number between low and high; a bound is a number, or one per gene."""
    return Description(
        "real", length, *_bounds(low, high), None, ideal, worst, tolerance, space_size
    )


def Mixed(genes, *, ideal=None, worst=None, tolerance=None, space_size=None):
    """Genes of a kind of its own each: `Mixed([Real(0, 1), Integer(1, 9), Choice("a", "b"), Bit()])`. A
    genome is a list of floats, ints, words and bools; `evaluate` with numpy gets an array of numbers,
    where a choice is the index of its word."""
    genes = list(genes)
    for gene in genes:
        if not isinstance(gene, Gene):
            raise TypeError(f"Mixed has genes, Real(low, high), Integer(low, high), Choice(word, word, …) and Bit(), but got {gene!r:.80}")
    return Description("mixed", len(genes), [], [], None, ideal, worst, tolerance, space_size, genes)


def Opaque(length, *, gene=None, ideal=None, worst=None, tolerance=None, space_size=None):
    """`length` genes that only the problem understands: it has `sample`, `crossover`, `mutate`."""
    return Description("opaque", length, [], [], gene, ideal, worst, tolerance, space_size)


class Domain:
    """The problem that an operator is made for."""

    def __init__(self, encoding, gene, length, low, high, ideal, worst, genes=None):
        self.encoding, self.gene, self.length = encoding, gene, length
        self.ideal, self.worst = ideal, worst
        # The genes of mixed genomes, else None.
        self.genes = genes
        # No bound, one for all genes, or one per gene.
        self._low, self._high = low, high

    def bounds(self, locus):
        """The least and the greatest value of a gene, or None."""
        if not self._low:
            return None
        at = 0 if len(self._low) == 1 else locus
        return self._low[at], self._high[at]


class Operator:
    """What every operator may say of itself. `name` is that in configs; without it, that of the class
    in lower case, with `-` between its words. `encodings` are those that it works on; none: any."""

    name = None
    source = ""
    encodings = ()
    parameters = {}

    def __init__(self, domain, **values):
        self.domain = domain
        self.__dict__.update({key.replace("-", "_"): value for key, value in values.items()})


class Selection(Operator):
    """Chooses parents: `select(self, fitness, violations, count, rng)` returns `count` rows."""

    kind = "selection"


class Crossover(Operator):
    """Makes a child of two parents: `crossover(self, first, second, rng)` returns it."""

    kind = "crossover"


class Mutation(Operator):
    """Changes a genome: `mutate(self, genome, rng)` returns it, or None if it was changed in place."""

    kind = "mutation"


class Algorithm(Operator):
    """Searches. Each trial has an object of its own: `begin(self, rng)` prepares it, `ask(self)` returns
    the genomes to evaluate next (none: it has ended), `tell(self, genomes, fitness)` learns what they are
    worth. With a third argument, `tell` gets the violations too, None without constraints. With
    `state(self)`, which returns bytes, and `restore(self, state)`, a trial goes on after it was killed."""

    kind = "algorithm"

    def begin(self, rng):
        self.rng = rng


def _operator_name(cls):
    if cls.name is not None:
        return cls.name
    words = "".join(f"-{one.lower()}" if one.isupper() else one for one in cls.__name__)
    return words.strip("-").replace("_", "-")


class Refused(Exception):
    """What goes to the user in just these words."""


def _is_in(file, folder):
    """Whether a file is there, in this folder or below it."""
    return bool(file) and os.path.isfile(file) and os.path.abspath(file).startswith(folder + os.sep)


def _words(error, folder):
    """An exception as "ValueError: no items (knapsack.py, line 12, in fitness: `return a[k]`; genome
    0110)"."""
    if isinstance(error, Refused):
        return str(error)
    text = _message(error) or type(error).__name__
    kind = type(error).__name__
    words = text if text == kind else f"{kind}: {text}"
    if isinstance(error, SyntaxError) and _is_in(error.filename, folder):
        return f"{kind}: {error.msg} ({os.path.basename(error.filename)}, line {error.lineno})"
    place = genome = None
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if code is _each.__code__:
            genome = trace.tb_frame.f_locals.get("genome")
        inside = os.path.abspath(code.co_filename).startswith(folder + os.sep)
        if inside or place is None or not place[0]:
            place = (inside, code.co_filename, trace.tb_lineno, code.co_name)
        trace = trace.tb_next
    # The last line in the user's own files; of a library only if there is none.
    if place is not None and place[1] != "<string>":
        where = "" if place[3] == "<module>" else f", in {place[3]}"
        words += f" ({os.path.basename(place[1])}, line {place[2]}{where}{_source(*place[1:3])}"
        words += ")" if genome is None else f"; genome {_genes(genome)})"
    return words


def _message(error):
    """The message of an exception: its start if it is long, nothing if it cannot be had."""
    try:
        text = str(error).replace("\0", "")
    except Exception:
        return ""
    return text if len(text) <= 4096 else text[:4095] + "…"


def _source(file, number):
    """A line of a file as ": `return a[k]`"; nothing if it cannot be read."""
    try:
        with open(file, errors="replace") as lines:
            line = next((line for at, line in enumerate(lines, 1) if at == number), "").strip()
    except OSError:
        line = ""
    return f": `{_cut(line, 80)}`" if line else ""


def _cut(text, length):
    return text if len(text) <= length else text[: length - 1] + "…"


def _genes(genome):
    """A genome in a line of at most 60 letters: its genes, side by side if each is a digit."""
    genes = [str(gene) for gene in list(genome)[:61]]
    digits = all(len(gene) == 1 for gene in genes)
    return _cut(("" if digits else " ").join(genes), 60)


def _each(of, genomes, rngs=None):
    """What a function gives for each genome, with its random numbers if it takes them. `_words` reads
    `genome` if it fails."""
    given = []
    if rngs is None:
        for genome in genomes:
            given.append(of(genome))
    else:
        for genome, rng in zip(genomes, rngs):
            given.append(of(genome, rng))
    return given


def _is_complex(kind):
    """Whether a type is one of complex numbers, also of numpy."""
    return issubclass(kind, complex) or kind.__name__.startswith("complex")


def _is_real(one):
    """Whether a value can be sent as the number that it is."""
    try:
        struct.pack("<d", one)
    except (struct.error, OverflowError, TypeError):
        return False
    return not _is_complex(type(one))


def _takes_two(call):
    """Whether a function must be given a second argument."""
    try:
        parameters = list(inspect.signature(call).parameters.values())
    except (TypeError, ValueError):
        return False
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [one for one in parameters if one.kind in kinds and one.default is inspect.Parameter.empty]
    return len(needed) == 2


def _takes_violations(tell):
    """How `tell` takes violations: "third", "by name", or None if it does not."""
    try:
        parameters = inspect.signature(tell).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = [one.kind for one in parameters]
    places = kinds.count(inspect.Parameter.POSITIONAL_ONLY) + kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if places > 2 or inspect.Parameter.VAR_POSITIONAL in kinds:
        return "third"
    by_name = any(one.name == "violations" or one.kind is inspect.Parameter.VAR_KEYWORD for one in parameters)
    return "by name" if by_name else None


def _in_order(given, call):
    """What a call returned, if it has an order."""
    if isinstance(given, (set, frozenset, dict)):
        raise Refused(f"{call} returned {given!r:.80}, but must return a list or an array: a {type(given).__name__} does not say which is whose")
    return given


def _whole_rows(given):
    """The numbers of rows that a selection returned, which are whole."""
    _in_order(given, "select")
    try:
        given = list(given)
        if any(isinstance(one, bool) or getattr(one, "dtype", None) == bool for one in given):
            raise Refused(f"select returned {given!r:.80}, but must return numbers of rows, as numpy.flatnonzero gives those of a mask")
        rows = [int(one) for one in given]
        wrong = [one for one, row in zip(given, rows) if not one == row]
    except (TypeError, ValueError, OverflowError):
        raise Refused(f"select returned {given!r:.80}, but must return numbers of rows") from None
    if wrong:
        raise Refused(f"select returned the row {wrong[0]!r:.80}, which is no whole number")
    return rows


class _Rows:
    """The genes of a batch, handed out as the problem wants them."""

    def __init__(self, description, numpy):
        self.description, self.numpy = description, numpy
        self.code, self.size = GENES[description.gene]
        self.widen = numpy is not None and description.gene != "f64" and not description.chosen
        self.dtype = numpy and numpy.dtype(self.code).newbyteorder("<")
        self.genes = description.genes

    def array(self, data):
        """Rows x genes. Whole numbers are int64, where the problem did not choose the kind of gene:
        differences of small unsigned numbers would wrap around."""
        array = self.numpy.frombuffer(data, dtype=self.dtype)
        array = array.reshape(-1, self.description.length)
        return array.astype(self.numpy.int64) if self.widen else array

    def rows(self, data):
        """Each genome: a list, or a numpy array where the problem uses numpy. A mixed one is a list of
        values of its kinds."""
        if self.genes is not None:
            return [[gene.value(one) for gene, one in zip(self.genes, row)] for row in self.lists(data)]
        return self.batch(data)

    def batch(self, data):
        """All genomes: an array where the problem uses numpy, of numbers, or a list as of `rows`."""
        if self.numpy is not None:
            return self.array(data)
        return self.lists(data) if self.genes is None else self.rows(data)

    def lists(self, data):
        width = self.description.length * self.size
        return data.cast(self.code, [len(data) // width, self.description.length]).tolist() if data else []

    def own(self, data):
        """As `rows`, to be changed in place."""
        return self.array(data).copy() if self.numpy is not None and self.genes is None else self.rows(data)

    def bytes(self, genome, call):
        """A genome that the problem made, as it is sent."""
        length = self.description.length
        _in_order(genome, call)
        try:
            given = len(genome)
        except TypeError:
            raise Refused(f"{call} returned {genome!r:.80}, but a genome is a sequence of {length} genes") from None
        if given != length:
            raise Refused(f"{call} returned a genome of {given} genes, but it has {length}")
        if self.genes is not None:
            numbers = [gene.number(one) for gene, one in zip(self.genes, genome)]
            for at, (gene, one) in enumerate(zip(self.genes, numbers)):
                if one is None:
                    raise Refused(f"{call} returned the value {genome[at]!r:.80} of gene {at}, which is none of {gene!r:.80}")
            return struct.pack(f"<{length}d", *numbers)
        if self.description.gene == "f64":
            return self.reals(genome, call)
        whole = [int(gene) for gene in genome]
        for given, gene in zip(genome, whole):
            if gene != given or not 0 <= gene < 1 << (8 * self.size):
                raise Refused(f"{call} returned the gene {given!r:.80}, which is no whole number of {self.description.gene}")
        return struct.pack(f"<{length}{self.code}", *whole)

    def reals(self, genome, call):
        """Real genes, as they are sent. Those of numpy would drop imaginary parts."""
        kinds = set(map(type, genome)) if getattr(genome, "dtype", None) is None else {genome.dtype.type}
        if not any(map(_is_complex, kinds)):
            try:
                return struct.pack(f"<{len(genome)}d", *genome)
            except (struct.error, OverflowError, TypeError):
                pass
        at, wrong = next((at, one) for at, one in enumerate(genome) if not _is_real(one))
        raise Refused(f"{call} returned {wrong!r:.80} as gene {at}, which is no number that a gene can have")


class _Random:
    """The random numbers of a row: they follow from the call's seed and the row's number alone."""

    def __init__(self, numpy, seed, first_row):
        self.numpy, self.seed, self.row = numpy, seed, first_row

    def next(self):
        row, self.row = self.row, self.row + 1
        if self.numpy is not None:
            philox, generator = self.numpy.random.Philox, self.numpy.random.Generator
            key = [word ^ row for word in struct.unpack("<2Q", self.seed[:16])]
            counter = [*struct.unpack("<2Q", self.seed[16:32]), row, 0]
            return generator(philox(key=key, counter=counter))
        return random.Random(int.from_bytes(self.seed + row.to_bytes(8, "little"), "little"))


def _state_of(random):
    """The state of a generator, for JSON."""
    if hasattr(random, "getstate"):
        return random.getstate()
    return _plain(random.bit_generator.state)


def _plain(value):
    """A state of numpy's, with lists in place of arrays."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return value.tolist() if hasattr(value, "tolist") else value


def _set_state_of(random, state):
    if hasattr(random, "getstate"):
        version, words, rest = state
        random.setstate((version, tuple(words), rest))
    else:
        random.bit_generator.state = state


class _Breeding:
    """The calls of what makes children and mutants: a problem, or an operator. `maker` has them,
    `rows` are its genomes."""

    def crossover(self, random, data):
        half, cross, rows = len(data) // 2, self.maker.crossover, self.rows
        pairs = zip(rows.rows(data[:half]), rows.rows(data[half:]))
        return b"".join(rows.bytes(cross(a, b, random.next()), "crossover") for a, b in pairs)

    def mutate(self, random, data):
        made = []
        for genome in self.rows.own(data):
            mutated = self.maker.mutate(genome, random.next())
            # Changed in place.
            made.append(self.rows.bytes(genome if mutated is None else mutated, "mutate"))
        return b"".join(made)


class _OperatorInstance(_Breeding):
    """An operator made for a problem."""

    def __init__(self, cls, wanted, numpy):
        one = wanted["problem"]
        genes = one.get("genes")
        genes = genes and [Gene(**{"name": "", **gene}) for gene in genes]
        for gene in genes or ():
            # JSON has them as real numbers.
            if gene.kind == "integer":
                gene.low, gene.high = int(gene.low), int(gene.high)
        domain = Domain(*(one[key] for key in ("encoding", "gene", "length", "low", "high", "ideal", "worst")), genes)
        self.make = lambda: cls(domain, **wanted["parameters"])
        self.maker, self.numpy = self.make(), numpy
        self.violations = _takes_violations(getattr(self.maker, "tell", None))
        self.rows = _Rows(Description(one["encoding"], one["length"], [], [], one["gene"], None, None, None, None, genes), numpy)
        # Differences of small unsigned numbers would wrap around.
        self.rows.widen = numpy is not None and one["gene"] != "f64"

    def select(self, rows, random, data):
        (count, constrained) = struct.unpack_from("<IB", data)
        numbers = data[5:]
        if self.numpy is not None:
            numbers = self.numpy.frombuffer(numbers, dtype="<f8")
        else:
            numbers = list(struct.unpack(f"<{len(numbers) // 8}d", numbers))
        violations = numbers[rows:] if constrained else None
        given = self.maker.select(numbers[:rows], violations, count, random.next())
        parents = _whole_rows(given)
        if len(parents) != count:
            raise Refused(f"select returned {len(parents)} rows, but must return {count}")
        for parent in parents:
            if not 0 <= parent < rows:
                raise Refused(f"select returned the row {parent}, but there are {rows}, from 0")
        return struct.pack(f"<{count}I", *parents)

    def begin(self, random):
        # Nothing that a trial changes is there for the next.
        self.maker, self.asked = self.make(), []
        self.random = random.next()
        self.maker.begin(self.random)

    def optional(self):
        return ["state"] if all(callable(getattr(self.maker, call, None)) for call in ("state", "restore")) else []

    def state(self):
        """The state that the algorithm returns, behind that of its random numbers."""
        state = self.maker.state()
        if state is None:
            return None
        if not isinstance(state, (bytes, bytearray)):
            raise Refused(f"state returned {state!r:.80}, but must return bytes, as of pickle.dumps, or None if the trial is to begin anew")
        numbers = json.dumps(_state_of(self.random)).encode()
        return struct.pack("<I", len(numbers)) + numbers + state

    def restore(self, data):
        (length,) = struct.unpack_from("<I", data)
        self.maker.restore(bytes(data[4 + length:]))
        _set_state_of(self.random, json.loads(bytes(data[4 : 4 + length])))

    def ask(self, capacity):
        asked = _in_order(self.maker.ask(), "ask")
        self.asked = [] if asked is None else asked
        try:
            count = len(self.asked)
        except TypeError:
            raise Refused(f"ask returned {asked!r:.80}, but must return a sequence of genomes, or None at the end") from None
        if count > capacity:
            raise Refused(f"ask returned {count} genomes, but may ask for {capacity} at most")
        return b"".join(self.rows.bytes(genome, "ask") for genome in self.asked)

    def tell(self, count, data):
        numbers = data[1:]
        if self.numpy is not None:
            numbers = self.numpy.frombuffer(numbers, dtype="<f8")
        else:
            numbers = list(struct.unpack(f"<{len(numbers) // 8}d", numbers))
        fitness, violations = numbers[:count], numbers[count:] if data[0] else None
        if self.violations == "third":
            self.maker.tell(self.asked, fitness, violations)
        elif self.violations == "by name":
            self.maker.tell(self.asked, fitness, violations=violations)
        else:
            self.maker.tell(self.asked, fitness)


class _Instance(_Breeding):
    """A problem made of parameters."""

    def __init__(self, cls, values, numpy):
        self.problem = self.maker = cls(**values)
        if not callable(getattr(self.problem, "describe", None)):
            raise Refused("the class Problem has no `describe`, which returns Bits(…), Integers(…), Permutation(…), Reals(…), Mixed(…) or Opaque(…)")
        described = self.problem.describe()
        if not isinstance(described, Description):
            raise Refused(f"describe returned {described!r:.80}, but must return Bits(…), Integers(…), Permutation(…), Reals(…), Mixed(…) or Opaque(…)")
        if described.gene not in GENES:
            raise Refused(f"the gene {described.gene!r} is unknown; there are u8, u16, u32 and f64")
        self.description, self.numpy = described, numpy
        self.rows = _Rows(described, numpy)
        self.has = [call for call in CALLS if callable(getattr(self.problem, call, None))]
        if "fitness" not in self.has and "evaluate" not in self.has:
            raise Refused("the class Problem has neither `fitness` nor `evaluate`")
        # Fitness that takes random numbers is noisy: `fitness(genome, rng)`, `evaluate(genomes, rngs)`.
        draws = {call for call in ("fitness", "evaluate") if call in self.has and _takes_two(getattr(self.problem, call))}
        self.noisy = ("evaluate" if "evaluate" in self.has else "fitness") in draws
        if draws and not self.noisy:
            raise Refused("`fitness` takes random numbers, but `evaluate` does not: give it a second argument, evaluate(self, genomes, rngs)")
        if not self.noisy and "noiseless" in self.has:
            self.has.remove("noiseless")

    def declare(self):
        one = self.description

        def number(name):
            value = getattr(one, name)
            if value is not None and not abs(float(value)) < float("inf"):
                raise Refused(f"describe gives {name} = {value!r:.80}, but it must be a finite number, or None")
            return None if value is None else float(value)

        for bound in (*one.low, *one.high):
            if not abs(bound) < float("inf"):
                raise Refused(f"describe gives the bound {bound!r}, but bounds are finite numbers")

        size = None if one.space_size is None else _whole(one.space_size)
        if one.space_size is not None and size is None:
            raise Refused(
                f"describe gives space_size = {one.space_size!r:.80}, but it must be a whole number, or None"
            )

        declared = {
            "encoding": one.encoding,
            "gene": one.gene,
            "length": one.length,
            "low": one.low,
            "high": one.high,
            "ideal": number("ideal"),
            "worst": number("worst"),
            "tolerance": number("tolerance"),
            "space_size": size,
            "has": self.optional(),
        }
        if one.genes is not None:
            declared["genes"] = [gene.declare() for gene in one.genes]
        return declared

    def optional(self):
        """The optional calls, as the protocol names them."""
        own = ("fitness", "evaluate", "violation", "violations")
        noisy = ["evaluate_noisy"] * self.noisy
        constrained = "violation" in self.has or "violations" in self.has
        return [call for call in self.has if call not in own] + ["evaluate_constrained"] * constrained + noisy

    def evaluate(self, count, data):
        if self.noisy:
            return self.numbers(count, data, None, "noiseless")
        return self.numbers(count, data, "evaluate", "fitness")

    def evaluate_noisy(self, count, random, data):
        rngs = [random.next() for _ in range(count)]
        return self.numbers(count, data, "evaluate", "fitness", rngs)

    def evaluate_constrained(self, count, data):
        return self.evaluate(count, data) + self.numbers(count, data, "violations", "violation")

    def numbers(self, count, data, batch, single, rngs=None):
        """A number per row, by the call for whole batches, or else by that for one genome. With random
        numbers, `rngs` has those of each row."""
        if batch in self.has:
            more = () if rngs is None else (rngs,)
            given = getattr(self.problem, batch)(self.rows.batch(data), *more)
            call = batch
        else:
            of = getattr(self.problem, single)
            given = _each(of, self.rows.rows(data), rngs)
            call = single
        _in_order(given, call)
        if self.numpy is not None:
            return self.array_of(given, count, call, single)
        try:
            given = list(given)
        except TypeError:
            raise Refused(f"{call} returned {given!r:.80}, but must return {count} numbers") from None
        if len(given) != count:
            raise Refused(f"{call} returned {len(given)} numbers, but must return {count}")
        try:
            # Numbers of numpy that a call imports would lose their imaginary parts.
            if any(map(_is_complex, set(map(type, given)))):
                raise OverflowError
            return struct.pack(f"<{count}d", *given)
        except (struct.error, OverflowError):
            wrong = next(one for one in given if not _is_real(one))
            shown = "a whole number that is too large" if isinstance(wrong, int) else f"{wrong!r:.80}"
            raise Refused(f"{call} returned {shown}, but a {single} is a number") from None

    def array_of(self, given, count, call, single):
        """Numbers as numpy keeps them. It would read texts, drop imaginary parts, and show what is masked."""
        array, masks = self.numpy.asarray(given), sys.modules.get("numpy.ma")
        if masks is not None and masks.is_masked(given):
            raise Refused(f"{call} returned an array with masked values, but a {single} is a number")
        if array.dtype.kind not in "biuf" and array.shape == (count,):
            for one in given:
                if not self.is_number(one):
                    raise Refused(f"{call} returned {one!r:.80}, but a {single} is a number")
        if array.shape != (count,):
            shown = f"{given!r:.80}" if array.dtype.kind == "O" and array.ndim == 0 else f"an array of the shape {array.shape}"
            raise Refused(f"{call} returned {shown}, but must return {count} numbers")
        return array.astype("<f8").tobytes()

    def is_number(self, one):
        kind = self.numpy.asarray(one).dtype.kind
        return kind in "biuf" or kind == "O" and hasattr(one, "__float__")

    def sample(self, count, random):
        make, rows = self.problem.sample, self.rows
        return b"".join(rows.bytes(make(random.next()), "sample") for _ in range(count))

    def is_valid(self, data):
        return bytes(bool(self.problem.is_valid(genome)) for genome in self.rows.rows(data))

    def render(self, form, data):
        text = self.problem.render(self.rows.rows(data)[0], FORMATS[form])
        if text is None:
            return None
        if not isinstance(text, str):
            raise Refused(f"render returned {text!r:.80}, but must return a text or None")
        return text.encode()

    def enumerate(self, count, first):
        make, rows = self.problem.enumerate, self.rows
        return b"".join(rows.bytes(make(first + row), "enumerate") for row in range(count))

    def number(self, data):
        numbers = [self.problem.number(genome) for genome in self.rows.rows(data)]
        return struct.pack(f"<{len(numbers)}Q", *(2**64 - 1 if one is None else one for one in numbers))


def _summary(what):
    doc = (what.__doc__ or "").strip()
    return doc.splitlines()[0] if doc else ""


def _parameters(cls):
    parameters = []
    for key, one in getattr(cls, "parameters", {}).items():
        if isinstance(one, Gene):
            raise Refused(f"the parameter {key} is {one!r:.80}, which is a gene between two numbers: a parameter has a default, and limits by name, as in Integer(5, low=1, high=10)")
        if not isinstance(one, Parameter):
            raise Refused(f"the parameter {key} is {one!r:.80}, but must be Integer(…), Real(…), Boolean(…), Choice(…), Text(…) or File(…)")
        # A NaN or an infinity minus itself is NaN.
        wrong = next((number for number in one.declared.values() if isinstance(number, float) and number - number != 0), None)
        if wrong is not None:
            raise Refused(f"the parameter {key} has {wrong!r}, but its default and limits must be finite numbers")
        # Where the class does not take them itself, they become attributes of its objects.
        name = key.replace("-", "_")
        is_attribute = getattr(cls, "__init__", None) is Operator.__init__
        if is_attribute and (name in ("domain", "rng") or hasattr(Algorithm, name) or callable(getattr(cls, name, None))):
            raise Refused(f"the parameter {key} of {cls.__name__} would take the place of {cls.__name__}.{name}: give it another key")
        parameters.append({"key": key, **one.declared})
    return parameters


class _Host:
    """Answers the requests that come in, in the process that was started and in no copy of it."""

    def __init__(self, path, requests, answers):
        self.path, self.folder = path, os.path.dirname(path)
        self.requests, self.answers, self.process = requests, answers, os.getpid()
        self.cls, self.operators, self.instances, self.numpy = None, [], {}, None
        os.register_at_fork(after_in_child=self.close)

    def close(self):
        for pipe in (self.requests, self.answers):
            try:
                os.close(pipe)
            except OSError:  # the problem did it
                pass

    def load(self):
        name = os.path.splitext(os.path.basename(self.path))[0]
        sys.path.insert(0, self.folder)
        spec = importlib.util.spec_from_file_location(name, self.path)
        module = importlib.util.module_from_spec(spec)
        sys.modules.setdefault(name, module)
        spec.loader.exec_module(module)
        # Decided here for all that comes: a call that imports it later must not change what others get.
        self.numpy = sys.modules.get("numpy")
        cls = getattr(module, "Problem", None)
        self.cls = cls if isinstance(cls, type) else None
        kinds = (Selection, Crossover, Mutation, Algorithm)
        for one in vars(module).values():
            if isinstance(one, type) and issubclass(one, kinds) and one not in kinds and one.__module__ == name and one not in self.operators:
                self.operators.append(one)
        if self.cls is None and not self.operators:
            raise Refused("it has no class called Problem, and no operator: no class of Selection, Crossover, Mutation or Algorithm")
        self.module = module

    def hello(self):
        try:
            self.load()
        except ModuleNotFoundError as error:
            raise Refused(
                f"{_words(error, self.folder)}; install it for {sys.executable}, or name another "
                "interpreter: interpreter = \"…\" in the table [problem]"
            ) from None
        # Of a file without a problem, the file itself says what it is called.
        own = self.module if self.cls is None else self.cls
        about = PYTHON
        if self.numpy is not None:
            about += f", numpy {self.numpy.__version__}"
        stem = os.path.splitext(os.path.basename(self.path))[0]
        return json.dumps(
            {
                "protocol": PROTOCOL,
                "name": getattr(own, "name", stem),
                "version": str(getattr(own, "version", "1")),
                "summary": _summary(own) or _summary(self.module),
                "parameters": _parameters(own) if own is self.cls else [],
                "problem": own is self.cls,
                "operators": [self.operator(one) for one in self.operators],
                "about": about,
                "files": self.files(),
                "memory": hasattr(sys, "getallocatedblocks"),
            }
        ).encode()

    @staticmethod
    def operator(cls):
        calls = {"selection": ["select"], "crossover": ["crossover"], "mutation": ["mutate"], "algorithm": ["ask", "tell"]}
        for call in calls[cls.kind]:
            if not callable(getattr(cls, call, None)):
                raise Refused(f"the {cls.kind} {cls.__name__} has no `{call}`")
        return {
            "kind": cls.kind,
            "name": _operator_name(cls),
            "summary": _summary(cls),
            "source": cls.source,
            "encodings": [cls.encodings] if isinstance(cls.encodings, str) else list(cls.encodings),
            "parameters": _parameters(cls),
        }

    def create_operator(self, wanted):
        same = ((one.kind, _operator_name(one)) for one in self.operators)
        place = list(same).index((wanted["kind"], wanted["name"]))
        return _OperatorInstance(self.operators[place], wanted, self.numpy)

    def files(self):
        """The modules of the problem's own folder that were imported, and those that a call may import:
        an `import` within a function counts from the beginning."""
        loaded = (getattr(module, "__file__", None) for module in list(sys.modules.values()))
        found = {file for file in map(self.own, loaded) if file}
        left = [self.path, *found]
        while left:
            new = {self.own(file) for file in self.imports(left.pop())} - found - {None}
            found |= new
            left += new
        return sorted(os.path.relpath(file, self.folder) for file in found)

    def own(self, file):
        """The absolute path of a file of the user's own besides this one, else None."""
        file = file and os.path.abspath(file)
        if not file or file == self.path or not file.startswith(self.folder + os.sep):
            return None
        # An environment that lies in the folder is not the user's own.
        inside = os.path.relpath(file, self.folder)
        return None if "site-packages" in inside or file.startswith(sys.prefix + os.sep) else file

    def imports(self, path):
        """The files in this folder that statements in a file of Python would import, wherever they stand."""
        try:
            with open(path, "rb") as file:
                tree = ast.parse(file.read())
        except (OSError, SyntaxError, ValueError):
            return
        for node in ast.walk(tree):
            base = self.folder
            if isinstance(node, ast.Import):
                names = [one.name for one in node.names]
            elif isinstance(node, ast.ImportFrom):
                module = node.module or ""
                names = [".".join(filter(None, (module, one.name))) for one in node.names]
                if node.level:
                    base = os.path.abspath(os.path.join(os.path.dirname(path), *[".."] * (node.level - 1)))
            else:
                continue
            for parts in (name.split(".") for name in names):
                first = sys.modules.get(parts[0])
                # Of the standard library, or of a package that was imported before.
                if base == self.folder and (parts[0] in sys.builtin_module_names or first is not None and not self.own(getattr(first, "__file__", None))):
                    continue
                for end in range(1, len(parts) + 1):
                    place = os.path.join(base, *parts[:end])
                    yield from (file for file in (place + ".py", os.path.join(place, "__init__.py")) if os.path.isfile(file))

    def answer(self, kind, data):
        # First what is asked most.
        if kind == EVALUATE:
            number, count = HEAD.unpack_from(data)
            return self.instances[number].evaluate(count, data[8:])
        if kind == HELLO:
            return self.hello()
        if kind == MEMORY:
            gc.collect()
            return struct.pack("<Q", sys.getallocatedblocks())
        (number,) = struct.unpack_from("<I", data)
        if kind == CREATE:
            values = json.loads(bytes(data[4:]))
            instance = self.instances[number] = _Instance(self.cls, values, self.numpy)
            return json.dumps(instance.declare()).encode()
        if kind == CREATE_OPERATOR:
            instance = self.instances[number] = self.create_operator(json.loads(bytes(data[4:])))
            return json.dumps({"has": instance.optional()}).encode()
        if kind == DESTROY:
            del self.instances[number]
            return b""
        instance = self.instances[number]
        (count,) = struct.unpack_from("<I", data, 4)
        if kind == EVALUATE_CONSTRAINED:
            return instance.evaluate_constrained(count, data[8:])
        if kind in (SAMPLE, CROSSOVER, MUTATE, EVALUATE_NOISY):
            (first,) = struct.unpack_from("<Q", data, 40)
            random = _Random(self.numpy, bytes(data[8:40]), first)
            if kind == SAMPLE:
                return instance.sample(count, random)
            if kind == EVALUATE_NOISY:
                return instance.evaluate_noisy(count, random, data[48:])
            return (instance.crossover if kind == CROSSOVER else instance.mutate)(random, data[48:])
        if kind == SELECT:
            return instance.select(count, _Random(self.numpy, bytes(data[8:40]), 0), data[40:])
        if kind == BEGIN:
            instance.begin(_Random(self.numpy, bytes(data[8:40]), 0))
            return b""
        if kind == ASK:
            return instance.ask(count)
        if kind == TELL:
            instance.tell(count, data[8:])
            return b""
        if kind == STATE:
            return instance.state()
        if kind == RESTORE:
            instance.restore(data[8:])
            return b""
        if kind == IS_VALID:
            return instance.is_valid(data[8:])
        if kind == RENDER:
            return instance.render(data[8], data[9:])
        if kind == ENUMERATE:
            return instance.enumerate(count, struct.unpack_from("<Q", data, 8)[0])
        if kind == NUMBER:
            return instance.number(data[8:])
        raise Refused(f"the request {kind} is unknown")

    def serve(self):
        read = os.fdopen(self.requests, "rb", buffering=1 << 16, closefd=False).read
        secret, number = None, 0
        while True:
            try:
                length, kind, seal, asked = REQUEST.unpack(read(REQUEST.size))
                data = memoryview(read(length - 16))
            except (OSError, struct.error):  # the end
                return
            secret = seal if secret is None else secret
            end = SECRET.pack(secret)
            if seal != secret or asked != number or len(data) != length - 16 or data[-8:] != end:
                sys.stderr.write("something besides the runner wrote requests, or read them\n")
                return
            error = None
            try:
                answer, status = self.answer(kind, data[:-8]), OK
                if answer is None:
                    answer, status = b"", NONE
            except BaseException as caught:  # sys.exit too costs one trial
                error = caught
                answer, status = _words(error, self.folder).encode(errors="replace"), FAILED
            if os.getpid() != self.process:
                _end_copy(error)
            try:
                head = ANSWER.pack(len(answer) + 28, status, secret, number, self.process)
                self.write(head + answer + end)
            except OSError:  # nobody listens any more, or the problem closed the pipe
                return
            number += 1

    def write(self, data):
        sent = os.write(self.answers, data)
        while sent < len(data):  # a signal interrupted it
            sent += os.write(self.answers, memoryview(data)[sent:])


def _end_copy(error):
    """Ends a process that the problem made by fork and that came back from the call: with the code
    that it asked for, or telling of the mistake."""
    code = 1
    if isinstance(error, SystemExit) and (error.code is None or isinstance(error.code, int)):
        code = error.code or 0
    else:
        what = "returned" if error is None else f"raised {type(error).__name__}: {error}"
        sys.stderr.write(
            f"a copy of this process, made by fork, {what}, and was ended: only the process that "
            "was started answers; end the copy with os._exit\n"
        )
    try:
        sys.stderr.flush()
    finally:
        os._exit(code & 0xFF)


def _hold_signals():
    """Signals that ask a run to stop go to every process of a job, and the run itself ends this one.
    They are caught, not blocked or ignored: programs that are started from here would inherit that.
    Copies made by fork get back what Python does by default."""
    asking = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)
    before = {}

    def held(number, frame):
        pass

    for number in asking:
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup sets it
            before[number] = signal.signal(number, held)
            signal.siginterrupt(number, False)

    masks = {}

    def block():
        masks[_thread.get_ident()] = signal.pthread_sigmask(signal.SIG_BLOCK, asking)

    def unblock():
        signal.pthread_sigmask(signal.SIG_SETMASK, masks.pop(_thread.get_ident()))

    def restore():
        for number, handler in before.items():
            if signal.getsignal(number) is held:
                signal.signal(number, handler)
        unblock()

    # Blocked meanwhile: one that arrives too early would be lost in the copy.
    os.register_at_fork(before=block, after_in_parent=unblock, after_in_child=restore)
    # `runner launch` blocked them until here.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, asking)


def _aside(descriptor):
    """The same pipe where no code meets it that counts descriptors, and which no program that is
    started from here gets."""
    for least in (600, 200):
        try:
            return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, least)
        except OSError:  # there may not be so many
            pass
    return os.dup(descriptor)


def _main():
    # It is set for this process alone; what the user has set stays.
    if os.environ.get("PYTHONSAFEPATH") == "runner":
        del os.environ["PYTHONSAFEPATH"]
    _hold_signals()
    # What Python says of this module names it so.
    globals()["__name__"] = "runner"
    sys.modules["runner"] = sys.modules["__main__"]
    sys.dont_write_bytecode = True
    requests, answers = _aside(0), _aside(1)
    # What the problem prints, in Python or below, goes to standard error; its input is empty.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    sys.stdout = sys.stderr
    _Host(os.path.abspath(sys.argv[1]), requests, answers).serve()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    _main()
