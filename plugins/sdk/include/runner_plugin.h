/* runner_plugin.h: the plugin ABI of `runner`, version 1.7. This file is the specification.
 *
 * A plugin is a shared library with a problem, with operators, or with both. It exports one symbol,
 * the constant table
 *
 *     const runner_plugin runner_plugin_table;
 *
 * Rules that hold for every call:
 *
 *   1. The host reads the frozen prefix (abi_major, abi_minor, struct_size) first. If the major
 *      version is unknown, it reads nothing else. Minor versions only append fields: a field is
 *      read only if it lies inside struct_size.
 *   2. Text is UTF-8, as pointer and length, without a terminating zero. With length 0 any pointer
 *      is allowed.
 *   3. The host owns every buffer it passes. The plugin owns its instances (create, destroy) and
 *      its constant descriptors, which live as long as the library, or, where stated, as long as
 *      the instance.
 *   4. Genomes come in batches: row-major and contiguous, `rows` x `genome_length` genes of one
 *      kind, the first byte aligned to 64 bytes. The result for a row must not depend on the other
 *      rows of the call.
 *   5. There are no callbacks. A call that needs randomness gets a 32-byte seed and the number of
 *      its first row: row i of the call draws from a generator that is derived only from (seed,
 *      first_row + i). So the result does not depend on how rows are split into calls.
 *   6. An instance is immutable after create: the host calls it from many threads at once. The same
 *      instance parameters, seed, row number and genes must give the same answer, bit for bit.
 *   7. Every call returns a status; if it is not RUNNER_OK, the call may write a message for the
 *      user to `error`. A panic, exception or longjmp must not cross the boundary.
 *   8. A library is never unloaded.
 *
 * A library built without optimisation may also export a symbol `runner_plugin_debug`, of any type:
 * the host then warns that it is slow.
 */
#ifndef RUNNER_PLUGIN_H
#define RUNNER_PLUGIN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RUNNER_ABI_MAJOR 1u
#define RUNNER_ABI_MINOR 7u

#if defined(_WIN32)
#define RUNNER_EXPORT __declspec(dllexport)
#else
#define RUNNER_EXPORT __attribute__((visibility("default")))
#endif

/* Status of a call. */
#define RUNNER_OK 0      /* success */
#define RUNNER_INVALID 1 /* an argument breaks a rule that `error` states (create: a parameter) */
#define RUNNER_FAILED 2  /* the plugin could not do it; `error` says why */
#define RUNNER_PANIC 3   /* the plugin's code panicked; `error` contains the message */

/* Kinds of parameter. */
#define RUNNER_INTEGER 1u
#define RUNNER_REAL 2u
#define RUNNER_BOOLEAN 3u
#define RUNNER_CHOICE 4u /* one word out of `choices` */
#define RUNNER_STRING 5u
#define RUNNER_FILE 6u   /* since 1.2: the path of a file, whose contents are the value */

/* How a genome encodes a solution; it decides which of the host's operators can be used. */
#define RUNNER_ENCODING_INTEGER 1u     /* each gene an integer within its bounds; u8, u16 or u32 */
#define RUNNER_ENCODING_PERMUTATION 2u /* each of 0 .. genome_length-1 once; u8, u16 or u32 */
#define RUNNER_ENCODING_BITS 3u        /* each gene 0 or 1; u8 */
#define RUNNER_ENCODING_REAL 4u        /* each gene a number within its bounds; f64 */
#define RUNNER_ENCODING_OPAQUE 5u      /* the plugin's own; it provides crossover and mutate */
#define RUNNER_ENCODING_MIXED 6u       /* since 1.5: each gene of a kind of its own; f64 */

/* Kinds of gene. */
#define RUNNER_GENE_U8 1u
#define RUNNER_GENE_U16 2u
#define RUNNER_GENE_U32 3u
#define RUNNER_GENE_F64 4u

/* Formats of render. */
#define RUNNER_RENDER_LINE 1u  /* one line of text, for a table cell */
#define RUNNER_RENDER_BOARD 2u /* several lines of text, for a terminal; ends with a newline */
#define RUNNER_RENDER_SVG 3u   /* one <svg> element */

/* Kinds of operator. */
#define RUNNER_SELECTION 1u /* chooses parents */
#define RUNNER_CROSSOVER 2u /* makes a child of two parents */
#define RUNNER_MUTATION 3u  /* changes a genome */
#define RUNNER_ALGORITHM 4u /* since 1.3: searches; asks for genomes, is told their fitness */

/* Kinds of move. */
#define RUNNER_CHANGES 1u   /* some genes take other values */
#define RUNNER_EXCHANGES 2u /* two positions exchange their genes */
#define RUNNER_REVERSALS 3u /* since 1.6: the genes from a position to a later one are reversed */
#define RUNNER_INSERTIONS 4u /* since 1.6: a gene moves to another position */

/* Noise of a fitness. */
#define RUNNER_EXACT 0u     /* none: the same genome has the same fitness each time */
#define RUNNER_NOISY 1u     /* since 1.4: the noiseless fitness is not known; evaluate is not called */
#define RUNNER_NOISELESS 2u /* since 1.4: evaluate gives the noiseless fitness */

/* UTF-8 text: `length` bytes at `data`. */
typedef struct runner_text {
    const char *data;
    uint64_t length;
} runner_text;

/* A buffer of the host for text. The plugin writes at most `capacity` bytes of UTF-8 and sets
 * `length` to the number of bytes of the complete text, even if that exceeds `capacity`: the host
 * then calls again with a larger buffer (an error message is truncated instead). */
typedef struct runner_buffer {
    uint8_t *data;
    uint64_t capacity;
    uint64_t length;
} runner_buffer;

/* A parameter's value. INTEGER: `integer`. REAL: `real`. BOOLEAN: `integer` is 0 or 1. CHOICE:
 * `integer` is the index into `choices` and `text` the word; a fallback needs the index alone. STRING:
 * `text`. FILE: `text` is an absolute path, or empty if there is no file; a fallback is empty. The
 * other fields are 0. */
typedef struct runner_value {
    uint32_t kind;
    uint32_t reserved;
    int64_t integer;
    double real;
    runner_text text;
} runner_value;

#define RUNNER_REQUIRED 1u /* flag: the user must give a value; `fallback` is not read */
/* Since 1.2, flag of a problem's parameter that was added to it: at its fallback it is no part of an
 * arm's settings and identity, so that arms of before keep theirs. */
#define RUNNER_LATER 2u

/* What a user may set under [problem], or beside an operator's name. The host checks kind and range
 * and fills in the fallback, so that create gets one valid value for each parameter, in this
 * order. */
typedef struct runner_parameter {
    runner_text key; /* lower-case words joined by '-' or '_'; not "plugin", and of an operator not
                        "interpreter", "operator", "version", "kind", "rate", "children" either */
    runner_text doc; /* one sentence, with the unit, if any */
    uint32_t kind;
    uint32_t flags;
    runner_value fallback;
    int64_t integer_low, integer_high; /* INTEGER: inclusive range */
    double real_low, real_high;        /* REAL: inclusive range; infinities allowed */
    const runner_text *choices;        /* CHOICE */
    uint64_t choice_count;
} runner_parameter;

/* Since 1.5: a gene of a mixed genome. Each is a double: REAL, a number from low to high; INTEGER, a
 * whole number from low to high, which are whole numbers from -2^53 to 2^53; CHOICE, the index of one of
 * `choices`, distinct words without white space; BOOLEAN, a bit, 0 or 1. The fields that a kind does
 * not use are 0. The host's operators vary each gene by its kind, and tables show choices by their
 * words. */
typedef struct runner_gene {
    uint32_t kind;
    uint32_t reserved;          /* 0 */
    double low, high;           /* REAL and INTEGER: inclusive */
    runner_text name;           /* in tables; without white space and '='; may be empty */
    const runner_text *choices; /* CHOICE */
    uint64_t choice_count;
} runner_gene;

/* What an instance is. The host sets struct_size to the bytes it knows, ideal, worst and tolerance
 * to NaN and the rest to 0; the plugin writes no field that lies beyond struct_size. `low`,
 * `high` and `genes` live as long as the instance.
 *
 * `tolerance` is how far rounding may move the fitness of an ideal genome from `ideal`, in either
 * direction: a fitness within it counts as reaching the ideal, and only a fitness below
 * ideal - tolerance is a fault. 0: fitness is exact, as counts are. NaN: the default, 1e-9, or
 * 1e-12 x |ideal| if that is larger, and at most a millionth of worst - ideal. State it if the
 * scale of fitness is far from 1. `worst` may be exceeded by the same amount, or by its own default
 * if that is larger. */
typedef struct runner_description {
    uint64_t struct_size;
    uint32_t encoding;
    uint32_t gene;
    uint64_t genome_length; /* 1 .. 2^32-1 genes */
    const double *low;      /* inclusive bounds of the genes; INTEGER and REAL need them */
    const double *high;
    uint64_t bound_count;   /* 0: none; 1: one pair for all genes; genome_length: a pair per gene */
    double ideal;           /* the lowest possible fitness (with constraints: of a feasible genome);
                               NaN if unknown */
    double worst;           /* the highest possible fitness; NaN if unknown */
    uint64_t space_size;    /* how many genomes `enumerate` numbers; 0 without it */
    /* Since 1.1. */
    double tolerance;       /* of a fitness at the ideal; 0: none; NaN: the default */
    uint64_t state_size;    /* bytes of a state, if there are moves; 0: this instance has none */
    /* Since 1.4. */
    uint64_t noise;         /* RUNNER_EXACT, RUNNER_NOISY or RUNNER_NOISELESS: see evaluate_noisy */
    /* Since 1.5. */
    const runner_gene *genes; /* MIXED: genome_length genes; their bounds are here, not in `low` and
                                 `high`. An older host, whose struct_size ends before, has none: the
                                 plugin then returns RUNNER_FAILED with a message */
    uint64_t gene_size;       /* sizeof(runner_gene): the array's stride */
    /* Since 1.6. */
    uint64_t move_kinds;      /* PERMUTATION: the kinds of moves that evaluate_moves and apply_move
                                 take besides EXCHANGES: 1 << RUNNER_REVERSALS and
                                 1 << RUNNER_INSERTIONS. The host evaluates neighbours of the other
                                 kinds as whole genomes */
} runner_description;

/* Since 1.1: moves, each from the same genome to a neighbour. `count` is at least 1.
 *
 * CHANGES: move i gives the genes at positions[k] the values[k], for k from starts[i] to before
 * starts[i + 1]; `starts` has count + 1 entries, the first 0. Where `starts` is null, every move
 * changes one gene, and k is i. A move changes at least one gene, and none twice; positions are
 * below genome_length, values are genes of the problem's kind and within their bounds, and may be
 * those that are there. EXCHANGES: move i exchanges the genes at positions[2 i] and
 * positions[2 i + 1], which are two places; `starts` and `values` are null. REVERSALS, since 1.6:
 * move i reverses the genes from positions[2 i] to positions[2 i + 1], both included; the second
 * position is greater. INSERTIONS, since 1.6: move i takes the gene at positions[2 i] out and inserts
 * it so that it is at positions[2 i + 1], another place; the genes between shift by one. Problems of
 * encoding PERMUTATION get exchanges and the kinds of their `move_kinds`; others get changes and
 * exchanges. */
typedef struct runner_moves {
    uint32_t kind;
    uint32_t reserved; /* 0 */
    uint64_t count;
    const uint32_t *starts;
    const uint32_t *positions;
    const void *values;
} runner_moves;

/* Since 1.1: an operator. An operator set of any problem may name it; how often it is used, and the
 * number of children of a pair, are the host's (`rate`, `children`). Rules 4 to 7 hold for its
 * calls as for those of a problem. */
typedef struct runner_operator {
    uint32_t kind;
    uint32_t encodings;  /* a bit 1u << RUNNER_ENCODING_... for each that it works on; 0: any */
    runner_text name;    /* its name in configs: lower-case letters, digits, '-', '_'; of the
                            operators of one kind each has another */
    runner_text summary; /* one sentence */
    runner_text source;  /* author, year and DOI; may be empty */

    const runner_parameter *parameters;
    uint64_t parameter_count;
    uint64_t parameter_size; /* sizeof(runner_parameter): the array's stride */

    /* Makes an instance from `count` values, one per parameter, in order, for genomes of this
     * problem: encoding, gene, genome_length, bounds, ideal and worst. Those of bits and
     * permutations have one pair of bounds; those of mixed genes have
     * one per gene, and `genes`. `problem` and what it leads to live through the call. RUNNER_INVALID
     * if the operator cannot work on it: `error` says why. */
    int32_t (*create)(const runner_value *values, uint64_t count,
                      const runner_description *problem, void **instance, runner_buffer *error);
    void (*destroy)(void *instance);

    /* The call of its kind; the others are null. */

    /* Writes `count` parents, each the number of a row, from 0; the host pairs them in this order.
     * Of each of `rows` rows there is the fitness, lower is better; where the problem has
     * constraints, it is what the operator set's rule makes of fitness and violation, and
     * `violations` has the violations themselves; otherwise that is null. All draws follow from the
     * seed alone. */
    int32_t (*select)(const void *instance, const uint8_t seed[32], uint64_t rows,
                      const double *fitness, const double *violations, uint64_t count,
                      uint32_t *parents, runner_buffer *error);
    /* As `crossover` and `mutate` of a problem. */
    int32_t (*crossover)(const void *instance, const uint8_t seed[32], uint64_t first_row,
                         uint64_t rows, const void *first, const void *second, void *children,
                         runner_buffer *error);
    int32_t (*mutate)(const void *instance, const uint8_t seed[32], uint64_t first_row,
                      uint64_t rows, void *genomes, runner_buffer *error);

    /* Since 1.3: read only where operator_size covers them. The four calls of an algorithm. The
     * host begins a search for each trial and each restart, then asks and tells in turn, and ends
     * it. One thread at a time has a search. An algorithm's searches are independent of one
     * another, and follow from the seed and from what they are told alone. */
    int32_t (*begin)(const void *instance, const uint8_t seed[32], void **search,
                     runner_buffer *error);
    /* Writes 1 to `capacity` genomes that the problem shall evaluate, and their number to `rows`; 0
     * rows: the search has come to its end. The first ask must not give 0 rows. */
    int32_t (*ask)(void *search, uint64_t capacity, void *genomes, uint64_t *rows,
                   runner_buffer *error);
    /* The genomes of the last ask, all of them, and of each its fitness, lower is better; as for
     * `select`, with constraints. Left out where the budget ended within them. */
    int32_t (*tell)(void *search, uint64_t rows, const void *genomes, const double *fitness,
                    const double *violations, runner_buffer *error);
    void (*end)(void *search);

    /* Since 1.7: read only where operator_size covers them. Both or none of them: by them a trial
     * goes on after it was killed. `state` writes all that later genomes of the search depend on,
     * as bytes of any kind; it is called between a tell and the next ask. RUNNER_INVALID: this
     * search has no state that could be written. */
    int32_t (*state)(const void *search, runner_buffer *state, runner_buffer *error);
    /* Called right after `begin`, with the same seed: the search goes on as the one that wrote
     * these bytes, and asks for the same genomes. */
    int32_t (*restore)(void *search, const uint8_t *state, uint64_t length, runner_buffer *error);
} runner_operator;

typedef struct runner_plugin {
    /* The frozen prefix. */
    uint32_t abi_major;   /* RUNNER_ABI_MAJOR */
    uint32_t abi_minor;   /* RUNNER_ABI_MINOR */
    uint64_t struct_size; /* sizeof(runner_plugin) */

    runner_text name;    /* its name in configs and in the library's file name */
    runner_text version; /* raise it whenever the same genome could get a different fitness or the
                            same seed a different genome */
    runner_text summary; /* one sentence */

    const runner_parameter *parameters;
    uint64_t parameter_count;
    uint64_t parameter_size; /* sizeof(runner_parameter): the array's stride */

    /* Of a plugin that has operators and no problem, these five are null. */

    /* Makes an instance from `count` values, one per parameter, in order. */
    int32_t (*create)(const runner_value *values, uint64_t count, void **instance,
                      runner_buffer *error);
    void (*destroy)(void *instance);
    int32_t (*describe)(const void *instance, runner_description *description,
                        runner_buffer *error);

    /* Fills `rows` genomes at random. */
    int32_t (*sample)(const void *instance, const uint8_t seed[32], uint64_t first_row,
                      uint64_t rows, void *genomes, runner_buffer *error);
    /* Writes one fitness per row: lower is better, finite, and between `ideal` and `worst` if these
     * are known, up to `tolerance`. */
    int32_t (*evaluate)(const void *instance, uint64_t rows, const void *genomes, double *fitness,
                        runner_buffer *error);

    /* The following calls are optional: null if the plugin does not have them. */

    /* Makes child i from parents first[i] and second[i]. If two children per pair are needed, the
     * host calls again with the parents exchanged. */
    int32_t (*crossover)(const void *instance, const uint8_t seed[32], uint64_t first_row,
                         uint64_t rows, const void *first, const void *second, void *children,
                         runner_buffer *error);
    /* Mutates every row in place, once. */
    int32_t (*mutate)(const void *instance, const uint8_t seed[32], uint64_t first_row,
                      uint64_t rows, void *genomes, runner_buffer *error);
    /* Writes 1 if a row follows the problem's rules, otherwise 0. */
    int32_t (*is_valid)(const void *instance, uint64_t rows, const void *genomes, uint8_t *valid,
                        runner_buffer *error);
    /* Renders one genome in one of the formats; RUNNER_INVALID if the format is not supported. */
    int32_t (*render)(const void *instance, const void *genome, uint32_t format,
                      runner_buffer *text, runner_buffer *error);
    /* Writes the genomes numbered first_number .. first_number+rows-1, each below space_size. */
    int32_t (*enumerate)(const void *instance, uint64_t first_number, uint64_t rows, void *genomes,
                         runner_buffer *error);
    /* The inverse: writes the number of each row; UINT64_MAX if a genome has none. */
    int32_t (*number)(const void *instance, uint64_t rows, const void *genomes, uint64_t *numbers,
                      runner_buffer *error);

    /* Since 1.1: read only where struct_size covers it. */

    /* For a problem with constraints, and null for any other. Writes fitness as `evaluate` does,
     * and for each row how far it is from keeping the constraints: 0 if it keeps them all (it is
     * feasible), otherwise a finite number above 0, the larger the worse. The host then calls this
     * in place of `evaluate`. `ideal` is the lowest fitness of a feasible genome: that of an
     * infeasible one may be lower. */
    int32_t (*evaluate_constrained)(const void *instance, uint64_t rows, const void *genomes,
                                    double *fitness, double *violations, runner_buffer *error);

    /* Operators for the problems of any plugin; null if there are none. */
    const runner_operator *operators;
    uint64_t operator_count;
    uint64_t operator_size; /* sizeof(runner_operator): the array's stride */

    /* Moves: all three or none. With them a search that goes from a genome to its neighbours pays
     * for what a move changes, in place of whole evaluations. The host calls them for instances
     * whose description has a state_size above 0, and never for a problem with constraints.
     *
     * A state is `state_size` bytes that belong to one genome: numbers, no pointers. The memory is
     * the host's, its first byte aligned to 64 bytes; it holds anything before build_state, and the
     * host may copy it. Genome and state are one thread's; the instance is immutable, as ever.
     *
     * Every fitness is that of `evaluate` for the same genome, bit for bit. */

    /* Writes the state of a genome, and its fitness. */
    int32_t (*build_state)(const void *instance, const void *genome, void *state, double *fitness,
                           runner_buffer *error);
    /* Writes one fitness per move: that of the genome it leads to. The moves are not made: genome
     * and state may be written to in between, but are as they were when the call returns. */
    int32_t (*evaluate_moves)(const void *instance, void *genome, void *state,
                              const runner_moves *moves, double *fitness, runner_buffer *error);
    /* Makes a move, of which there is one: changes the genome and its state. */
    int32_t (*apply_move)(const void *instance, void *genome, void *state,
                          const runner_moves *move, runner_buffer *error);

    /* Since 1.2: conflicts, for searches that repair a genome gene by gene. */

    /* Writes, for each of `count` positions, the number of conflicts of the gene there: 0 if it
     * takes part in none. Conflicts are between genes, and mutual. `state` is that of the genome
     * (build_state, apply_move), or null: the answer is the same. No position comes twice. */
    int32_t (*conflicts)(const void *instance, const void *genome, const void *state,
                         uint64_t count, const uint32_t *positions, uint32_t *conflicts,
                         runner_buffer *error);
    /* Fills genomes as `sample` does, but gene by gene: each gets the value that is in conflict
     * with the fewest genes before it, ties broken at random. Needs `conflicts`. */
    int32_t (*construct)(const void *instance, const uint8_t *seed, uint64_t first_row,
                         uint64_t rows, void *genomes, runner_buffer *error);

    /* Since 1.4: for instances whose description has a `noise` other than RUNNER_EXACT. */

    /* Writes one fitness per row, as evaluate does, but each is a random number: that of row i
     * follows from (seed, first_row + i) and its genome alone (rule 5). Within a trial each
     * evaluation has another row number. Any finite number may be written; `ideal` and `worst` bound
     * the noiseless fitness. Searches call this in place of evaluate. Where the noise is
     * RUNNER_NOISELESS, evaluate gives the noiseless fitness, by which the host measures how good a
     * genome is: searches do not see it. A noisy instance has no evaluate_constrained and is not
     * asked for moves. */
    int32_t (*evaluate_noisy)(const void *instance, const uint8_t seed[32], uint64_t first_row,
                              uint64_t rows, const void *genomes, double *fitness,
                              runner_buffer *error);
} runner_plugin;

extern RUNNER_EXPORT const runner_plugin runner_plugin_table;

#ifdef __cplusplus
}
#endif

#endif
