// runner_plugin.hpp: problems in C++17, over the C interface of runner_plugin.h. Headers alone; no
// exception crosses the boundary.
//
//     struct OneMax {
//         using Gene = std::uint8_t;
//         static constexpr const char *name = "onemax", *version = "1", *summary = "Count ones.";
//         static constexpr runner_parameter parameters[] = {
//             runner::integer("length", 1, 1000, "Bits of a genome.", 20)};
//
//         explicit OneMax(const runner::Values &values) : length(values.integer("length")) {}
//         runner::Description describe() const;
//         void sample(runner::Random &random, runner::Genome<Gene> genome) const;
//         double fitness(runner::Genome<const Gene> genome) const;
//     };
//     RUNNER_PLUGIN(OneMax)
//
// The constructor may throw: std::invalid_argument where values do not go together. The other
// members are const, since many threads call them at once; an exception costs the trial, and its
// what() becomes the trial's error. These members are optional:
//
//     void evaluate(const Gene *genomes, std::size_t rows, double *fitness) const;    // for fitness
//     double noisy_fitness(runner::Random &random, runner::Genome<const Gene> genome) const;
//     double violation(runner::Genome<const Gene> genome) const;    // 0: it keeps all constraints
//     void crossover(runner::Genome<const Gene> first, runner::Genome<const Gene> second,
//                    runner::Random &random, runner::Genome<Gene> child) const;
//     void mutate(runner::Random &random, runner::Genome<Gene> genome) const;
//     bool is_valid(runner::Genome<const Gene> genome) const;
//     std::optional<std::string> render(runner::Genome<const Gene> genome, runner::Format) const;
//     void enumerate(std::uint64_t number, runner::Genome<Gene> genome) const;
//     std::optional<std::uint64_t> number(runner::Genome<const Gene> genome) const;
//
// `noisy_fitness` is called for instances whose description has a `noise`; where that is
// RUNNER_NOISELESS, `fitness` is the noiseless fitness, otherwise it is not called.
//
// And, all of them or none, for searches that go from a genome to its neighbours: a state is so many
// numbers, such as counters, that the host keeps beside a genome. The fitness is that of the genome
// to the bit; `change` gives one gene another value, in genome and state.
//
//     using Number = std::int64_t;    // or any other type of number
//     std::size_t state_length() const;    // 0: this instance has no moves
//     void build(runner::Genome<const Gene> genome, Number *state) const;
//     double state_fitness(runner::Genome<const Gene> genome, const Number *state) const;
//     void change(runner::Genome<Gene> genome, Number *state, std::size_t position, Gene value) const;
//
// To these moves may be added: `move_kinds`, of a permutation, names the kinds that are evaluated
// besides exchanges; `evaluate_moves` writes the fitness that each move leads to, with genome and
// state as they were, or returns false, and the moves are made change by change and taken back.
//
//     std::uint64_t move_kinds() const;    // of runner::reversals | runner::insertions
//     bool evaluate_moves(runner::Genome<Gene> genome, Number *state, const runner_moves &moves,
//                         double *fitness) const;
#ifndef RUNNER_PLUGIN_HPP
#define RUNNER_PLUGIN_HPP

#include "runner_plugin.h"
#include "runner_random.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace runner {

// Text that lives as long as the library.
constexpr runner_text text(std::string_view words) { return {words.data(), words.size()}; }

namespace detail {
constexpr runner_parameter parameter(const char *key, std::uint32_t kind, const char *doc) {
    runner_parameter made{};
    made.key = text(key);
    made.doc = text(doc);
    made.kind = kind;
    made.fallback.kind = kind;
    return made;
}
} // namespace detail

// A whole number in low..high.
constexpr runner_parameter integer(const char *key, std::int64_t low, std::int64_t high,
                                   const char *doc, std::int64_t fallback) {
    runner_parameter made = detail::parameter(key, RUNNER_INTEGER, doc);
    made.integer_low = low;
    made.integer_high = high;
    made.fallback.integer = fallback;
    return made;
}

// A number in low..high, which may be infinite.
constexpr runner_parameter real(const char *key, double low, double high, const char *doc,
                                double fallback) {
    runner_parameter made = detail::parameter(key, RUNNER_REAL, doc);
    made.real_low = low;
    made.real_high = high;
    made.fallback.real = fallback;
    return made;
}

constexpr runner_parameter boolean(const char *key, const char *doc, bool fallback) {
    runner_parameter made = detail::parameter(key, RUNNER_BOOLEAN, doc);
    made.fallback.integer = fallback ? 1 : 0;
    return made;
}

// One of `words`, a constant array; the fallback by its index.
template <std::size_t Count>
constexpr runner_parameter choice(const char *key, const runner_text (&words)[Count],
                                  const char *doc, std::size_t fallback) {
    runner_parameter made = detail::parameter(key, RUNNER_CHOICE, doc);
    made.choices = words;
    made.choice_count = Count;
    made.fallback.integer = static_cast<std::int64_t>(fallback);
    made.fallback.text = words[fallback];
    return made;
}

constexpr runner_parameter string(const char *key, const char *doc, const char *fallback) {
    runner_parameter made = detail::parameter(key, RUNNER_STRING, doc);
    made.fallback.text = text(fallback);
    return made;
}

// The path of a file, or an empty text if the user names none.
constexpr runner_parameter file(const char *key, const char *doc) {
    return detail::parameter(key, RUNNER_FILE, doc);
}

// The same parameter without a fallback: the user must set it.
constexpr runner_parameter required(runner_parameter parameter) {
    parameter.flags |= RUNNER_REQUIRED;
    return parameter;
}

// The same parameter, added to a problem that has arms already: at its fallback it is no part of an
// arm's settings and identity.
constexpr runner_parameter later(runner_parameter parameter) {
    parameter.flags |= RUNNER_LATER;
    return parameter;
}

// What the user set, checked by the host; by the keys of the parameters.
class Values {
  public:
    Values(const runner_parameter *parameters, const runner_value *values, std::uint64_t count)
        : parameters_(parameters), values_(values), count_(count) {}

    std::int64_t integer(std::string_view key) const { return of(key, RUNNER_INTEGER).integer; }
    double real(std::string_view key) const { return of(key, RUNNER_REAL).real; }
    bool boolean(std::string_view key) const { return of(key, RUNNER_BOOLEAN).integer != 0; }
    // Index of the word.
    std::size_t choice(std::string_view key) const {
        return static_cast<std::size_t>(of(key, RUNNER_CHOICE).integer);
    }
    std::string string(std::string_view key) const {
        const runner_text &text = of(key, RUNNER_STRING).text;
        return std::string(text.data, static_cast<std::size_t>(text.length));
    }

    // An absolute path; empty if there is no file.
    std::string file(std::string_view key) const {
        const runner_text &text = of(key, RUNNER_FILE).text;
        return std::string(text.data, static_cast<std::size_t>(text.length));
    }

  private:
    const runner_value &of(std::string_view key, std::uint32_t kind) const {
        for (std::uint64_t place = 0; place < count_; place++) {
            const runner_text &name = parameters_[place].key;
            if (std::string_view(name.data, static_cast<std::size_t>(name.length)) == key &&
                values_[place].kind == kind) {
                return values_[place];
            }
        }
        throw std::logic_error("no parameter `" + std::string(key) + "` of this kind is declared");
    }

    const runner_parameter *parameters_;
    const runner_value *values_;
    std::uint64_t count_;
};

// The genes of one genome: a view, which is copied as a pointer is.
template <class Gene> class Genome {
  public:
    Genome(Gene *genes, std::size_t length) : genes_(genes), length_(length) {}
    Gene *begin() const { return genes_; }
    Gene *end() const { return genes_ + length_; }
    Gene *data() const { return genes_; }
    std::size_t size() const { return length_; }
    Gene &operator[](std::size_t locus) const { return genes_[locus]; }

  private:
    Gene *genes_;
    std::size_t length_;
};

// The random numbers of one row; also a generator for <random> and std::shuffle, whose results
// differ between standard libraries: prefer `below` and `unit`.
class Random {
  public:
    using result_type = std::uint64_t;
    Random(const std::uint8_t seed[32], std::uint64_t row)
        : random_(runner_random_of_row(seed, row)) {}
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
    result_type operator()() { return runner_random_next(&random_); }
    // A whole number below `bound`, which is at least 1.
    std::uint64_t below(std::uint64_t bound) { return runner_random_below(&random_, bound); }
    // At least 0 and below 1.
    double unit() { return runner_random_unit(&random_); }

  private:
    runner_random random_;
};

// Kinds of moves of a permutation besides exchanges.
constexpr std::uint64_t reversals = std::uint64_t(1) << RUNNER_REVERSALS;
constexpr std::uint64_t insertions = std::uint64_t(1) << RUNNER_INSERTIONS;

enum class Format : std::uint32_t {
    line = RUNNER_RENDER_LINE,
    board = RUNNER_RENDER_BOARD,
    svg = RUNNER_RENDER_SVG,
};

// A gene of a mixed genome, which is a double. A choice is the index of its word.
struct MixedGene {
    std::uint32_t kind;
    double low, high;
    std::vector<std::string> words;
    // In tables; may be empty.
    std::string name;

    static MixedGene real(double low, double high) { return {RUNNER_REAL, low, high, {}, {}}; }
    static MixedGene integer(std::int64_t low, std::int64_t high) {
        return {RUNNER_INTEGER, static_cast<double>(low), static_cast<double>(high), {}, {}};
    }
    static MixedGene choice(std::vector<std::string> words) {
        return {RUNNER_CHOICE, 0, 0, std::move(words), {}};
    }
    static MixedGene bit() { return {RUNNER_BOOLEAN, 0, 0, {}, {}}; }
    MixedGene named(std::string other) const {
        MixedGene made = *this;
        made.name = std::move(other);
        return made;
    }

    // A random value, uniform in its kind.
    double sample(Random &random) const {
        switch (kind) {
        case RUNNER_REAL:
            return low + (high - low) * random.unit();
        case RUNNER_INTEGER:
            return low + static_cast<double>(
                             random.below(static_cast<std::uint64_t>(high - low) + 1));
        case RUNNER_CHOICE:
            return static_cast<double>(random.below(words.size()));
        default:
            return static_cast<double>(random.below(2));
        }
    }
};

// What a genome is, and what is known of its fitness.
struct Description {
    std::uint32_t encoding;
    std::size_t length;
    // None, one for all genes, or one per gene.
    std::vector<double> low, high;
    // NaN: unknown, or the default.
    double ideal = std::numeric_limits<double>::quiet_NaN();
    double worst = std::numeric_limits<double>::quiet_NaN();
    double tolerance = std::numeric_limits<double>::quiet_NaN();
    // How many genomes `enumerate` numbers.
    std::uint64_t space_size = 0;
    // RUNNER_EXACT, RUNNER_NOISY or RUNNER_NOISELESS.
    std::uint64_t noise = RUNNER_EXACT;
    // One per gene, of mixed genomes alone.
    std::vector<MixedGene> genes = {};

    static Description bits(std::size_t length) { return {RUNNER_ENCODING_BITS, length, {}, {}}; }
    static Description permutation(std::size_t length) {
        return {RUNNER_ENCODING_PERMUTATION, length, {}, {}};
    }
    static Description integers(std::size_t length, double low, double high) {
        return {RUNNER_ENCODING_INTEGER, length, {low}, {high}};
    }
    static Description reals(std::size_t length, double low, double high) {
        return {RUNNER_ENCODING_REAL, length, {low}, {high}};
    }
    // Each gene of a kind of its own; genes are double.
    static Description mixed(std::vector<MixedGene> genes) {
        Description made{RUNNER_ENCODING_MIXED, genes.size(), {}, {}};
        made.genes = std::move(genes);
        return made;
    }
    static Description opaque(std::size_t length) {
        return {RUNNER_ENCODING_OPAQUE, length, {}, {}};
    }
};

namespace detail {

template <class Gene> constexpr std::uint32_t gene_kind() {
    if constexpr (std::is_same_v<Gene, std::uint8_t>) {
        return RUNNER_GENE_U8;
    } else if constexpr (std::is_same_v<Gene, std::uint16_t>) {
        return RUNNER_GENE_U16;
    } else if constexpr (std::is_same_v<Gene, std::uint32_t>) {
        return RUNNER_GENE_U32;
    } else {
        static_assert(std::is_same_v<Gene, double>,
                      "a gene is std::uint8_t, std::uint16_t, std::uint32_t or double");
        return RUNNER_GENE_F64;
    }
}

// Whether the problem has these members. A function of this name that cannot be called so would be
// left out without a word, and is an error: what is ambiguous in `member##_twice` has that name. A
// final class, which has no derived one, is asked for functions that are not overloaded.
#define RUNNER_HAS(member, expression)                                                             \
    template <class P, class = void> struct callable_##member : std::false_type {};                \
    template <class P>                                                                             \
    struct callable_##member<P, std::void_t<decltype(expression)>> : std::true_type {};            \
    template <class P, class = void> struct has_address_##member : std::false_type {};             \
    template <class P>                                                                             \
    struct has_address_##member<P, std::void_t<decltype(&P::member)>> : std::true_type {};         \
    template <class P, class = void> struct is_data_##member : std::false_type {};                 \
    template <class P>                                                                             \
    struct is_data_##member<P, std::void_t<decltype(&P::member)>>                                  \
        : std::is_member_object_pointer<decltype(&P::member)> {};                                  \
    struct only_##member {                                                                         \
        int member;                                                                                \
    };                                                                                             \
    template <class P> struct member##_twice : P, only_##member {};                                \
    template <class P, bool = std::is_final_v<P>, class = void>                                    \
    struct names_##member : std::true_type {};                                                     \
    template <class P>                                                                             \
    struct names_##member<P, false, std::void_t<decltype(&member##_twice<P>::member)>>             \
        : std::false_type {};                                                                      \
    template <class P> struct names_##member<P, true, void> : has_address_##member<P> {};          \
    template <class P> struct has_##member : callable_##member<P> {                                \
        static_assert(callable_##member<P>::value || !names_##member<P>::value ||                  \
                          is_data_##member<P>::value,                                              \
                      "the problem's member `" #member                                             \
                      "` cannot be called as runner_plugin.hpp says: make it public and const "    \
                      "and give it those parameters, or another name");                            \
    };
#define RUNNER_OF(type) std::declval<type>()
#define RUNNER_CONST_GENOME RUNNER_OF(Genome<const typename P::Gene>)
#define RUNNER_GENOME RUNNER_OF(Genome<typename P::Gene>)
RUNNER_HAS(evaluate, RUNNER_OF(const P &).evaluate(RUNNER_OF(const typename P::Gene *),
                                                   std::size_t(), RUNNER_OF(double *)))
RUNNER_HAS(violation, RUNNER_OF(const P &).violation(RUNNER_CONST_GENOME))
RUNNER_HAS(noisy_fitness, RUNNER_OF(const P &).noisy_fitness(RUNNER_OF(Random &), RUNNER_CONST_GENOME))
RUNNER_HAS(crossover, RUNNER_OF(const P &).crossover(RUNNER_CONST_GENOME, RUNNER_CONST_GENOME,
                                                     RUNNER_OF(Random &), RUNNER_GENOME))
RUNNER_HAS(mutate, RUNNER_OF(const P &).mutate(RUNNER_OF(Random &), RUNNER_GENOME))
RUNNER_HAS(is_valid, RUNNER_OF(const P &).is_valid(RUNNER_CONST_GENOME))
RUNNER_HAS(render, RUNNER_OF(const P &).render(RUNNER_CONST_GENOME, Format::line))
RUNNER_HAS(enumerate, RUNNER_OF(const P &).enumerate(std::uint64_t(), RUNNER_GENOME))
RUNNER_HAS(number, RUNNER_OF(const P &).number(RUNNER_CONST_GENOME))
RUNNER_HAS(parameters, P::parameters[0])
RUNNER_HAS(move_kinds, RUNNER_OF(const P &).move_kinds())
RUNNER_HAS(evaluate_moves,
           RUNNER_OF(const P &).evaluate_moves(RUNNER_GENOME, RUNNER_OF(typename P::Number *),
                                               RUNNER_OF(const runner_moves &),
                                               RUNNER_OF(double *)))
RUNNER_HAS(state_fitness, RUNNER_OF(const P &).state_fitness(
                              RUNNER_CONST_GENOME, RUNNER_OF(const typename P::Number *)))
RUNNER_HAS(change, RUNNER_OF(const P &).change(RUNNER_GENOME, RUNNER_OF(typename P::Number *),
                                               std::size_t(), typename P::Gene()))
#undef RUNNER_HAS
#undef RUNNER_OF
#undef RUNNER_CONST_GENOME
#undef RUNNER_GENOME

inline void put(runner_buffer *buffer, std::string_view words) {
    buffer->length = words.size();
    const std::uint64_t fitting = words.size() < buffer->capacity ? words.size() : buffer->capacity;
    if (fitting > 0) {
        std::memcpy(buffer->data, words.data(), static_cast<std::size_t>(fitting));
    }
}

// Runs `body`; its exceptions become a status and a message. In `create`, std::invalid_argument says
// that the parameters are wrong; in other calls the status would mean that they have no answer.
template <class Body>
std::int32_t guarded(runner_buffer *error, Body &&body,
                     std::int32_t invalid = RUNNER_FAILED) noexcept {
    try {
        return body();
    } catch (const std::invalid_argument &fault) {
        put(error, fault.what());
        return invalid;
    } catch (const std::exception &fault) {
        put(error, fault.what());
        return RUNNER_FAILED;
    } catch (...) {
        put(error, "an exception that is no std::exception");
        return RUNNER_PANIC;
    }
}

// The calls of the C interface, for the problem P.
template <class P> struct Calls {
    using Gene = typename P::Gene;

    // What the host calls an instance.
    struct Instance {
        P problem;
        Description description;
        // The genes as the host reads them, which lead to the description and to these words.
        std::vector<std::vector<runner_text>> words;
        std::vector<runner_gene> genes;
        explicit Instance(const Values &values)
            : problem(values), description(std::as_const(problem).describe()) {
            for (const MixedGene &gene : description.genes) {
                std::vector<runner_text> texts;
                for (const std::string &word : gene.words) {
                    texts.push_back(text(word));
                }
                words.push_back(std::move(texts));
                const std::vector<runner_text> &last = words.back();
                genes.push_back({gene.kind, 0, gene.low, gene.high, text(gene.name),
                                 last.empty() ? nullptr : last.data(), last.size()});
            }
        }
    };

    static const Instance &at(const void *instance) {
        return *static_cast<const Instance *>(instance);
    }

    // Calls `body` with each row's number and its genes.
    template <class G, class Body>
    static std::int32_t rows(const Instance &it, std::uint64_t rows, G *genes, Body &&body) {
        const std::size_t length = it.description.length;
        for (std::uint64_t row = 0; row < rows; row++) {
            body(row, Genome<G>(genes + row * length, length));
        }
        return RUNNER_OK;
    }

    static const runner_parameter *parameters() {
        if constexpr (has_parameters<P>::value) {
            return P::parameters;
        } else {
            return nullptr;
        }
    }

    static std::int32_t create(const runner_value *values, std::uint64_t count, void **instance,
                               runner_buffer *error) {
        return guarded(error, [&]() -> std::int32_t {
            *instance = new Instance(Values(parameters(), values, count));
            return RUNNER_OK;
        }, RUNNER_INVALID);
    }

    static void destroy(void *instance) { delete static_cast<Instance *>(instance); }

    static std::int32_t describe(const void *instance, runner_description *out,
                                 runner_buffer *error) {
        return guarded(error, [&]() -> std::int32_t {
            const Description &known = at(instance).description;
            if (known.low.size() != known.high.size()) {
                throw std::logic_error("the description has more bounds on one side");
            }
            out->encoding = known.encoding;
            out->gene = gene_kind<Gene>();
            out->genome_length = known.length;
            out->low = known.low.data();
            out->high = known.high.data();
            out->bound_count = known.low.size();
            out->ideal = known.ideal;
            out->worst = known.worst;
            out->space_size = known.space_size;
            if (out->struct_size > offsetof(runner_description, tolerance)) {
                out->tolerance = known.tolerance;
            }
            if (out->struct_size > offsetof(runner_description, noise)) {
                out->noise = known.noise;
            }
            if (out->struct_size > offsetof(runner_description, genes)) {
                out->genes = at(instance).genes.data();
                out->gene_size = sizeof(runner_gene);
            } else if (known.encoding == RUNNER_ENCODING_MIXED) {
                throw std::runtime_error(
                    "mixed genes need a runner whose plugin interface is 1.5 or later");
            }
            if constexpr (has_change<P>::value) {
                if (out->struct_size > offsetof(runner_description, state_size)) {
                    out->state_size =
                        at(instance).problem.state_length() * sizeof(typename P::Number);
                }
                if constexpr (has_move_kinds<P>::value) {
                    if (out->struct_size > offsetof(runner_description, move_kinds)) {
                        out->move_kinds = at(instance).problem.move_kinds();
                    }
                }
            }
            return RUNNER_OK;
        });
    }

    static std::int32_t sample(const void *instance, const std::uint8_t seed[32],
                               std::uint64_t first_row, std::uint64_t count, void *genomes,
                               runner_buffer *error) {
        return guarded(error, [&] {
            return rows(at(instance), count, static_cast<Gene *>(genomes),
                        [&](std::uint64_t row, Genome<Gene> genome) {
                            Random random(seed, first_row + row);
                            at(instance).problem.sample(random, genome);
                        });
        });
    }

    static std::int32_t evaluate(const void *instance, std::uint64_t count, const void *genomes,
                                 double *fitness, runner_buffer *error) {
        return guarded(error, [&]() -> std::int32_t {
            const Gene *genes = static_cast<const Gene *>(genomes);
            if constexpr (has_evaluate<P>::value) {
                at(instance).problem.evaluate(genes, static_cast<std::size_t>(count), fitness);
                return RUNNER_OK;
            } else {
                return rows(at(instance), count, genes,
                            [&](std::uint64_t row, Genome<const Gene> genome) {
                                fitness[row] = at(instance).problem.fitness(genome);
                            });
            }
        });
    }

    static std::int32_t evaluate_noisy(const void *instance, const std::uint8_t seed[32],
                                       std::uint64_t first_row, std::uint64_t count,
                                       const void *genomes, double *fitness,
                                       runner_buffer *error) {
        return guarded(error, [&] {
            return rows(at(instance), count, static_cast<const Gene *>(genomes),
                        [&](std::uint64_t row, Genome<const Gene> genome) {
                            Random random(seed, first_row + row);
                            fitness[row] = at(instance).problem.noisy_fitness(random, genome);
                        });
        });
    }

    static std::int32_t evaluate_constrained(const void *instance, std::uint64_t count,
                                             const void *genomes, double *fitness,
                                             double *violations, runner_buffer *error) {
        const std::int32_t status = evaluate(instance, count, genomes, fitness, error);
        if (status != RUNNER_OK) {
            return status;
        }
        return guarded(error, [&] {
            return rows(at(instance), count, static_cast<const Gene *>(genomes),
                        [&](std::uint64_t row, Genome<const Gene> genome) {
                            violations[row] = at(instance).problem.violation(genome);
                        });
        });
    }

    static std::int32_t crossover(const void *instance, const std::uint8_t seed[32],
                                  std::uint64_t first_row, std::uint64_t count, const void *first,
                                  const void *second, void *children, runner_buffer *error) {
        return guarded(error, [&] {
            const std::size_t length = at(instance).description.length;
            const Gene *fathers = static_cast<const Gene *>(first);
            const Gene *mothers = static_cast<const Gene *>(second);
            return rows(at(instance), count, static_cast<Gene *>(children),
                        [&](std::uint64_t row, Genome<Gene> child) {
                            Random random(seed, first_row + row);
                            Genome<const Gene> one(fathers + row * length, length);
                            Genome<const Gene> two(mothers + row * length, length);
                            at(instance).problem.crossover(one, two, random, child);
                        });
        });
    }

    static std::int32_t mutate(const void *instance, const std::uint8_t seed[32],
                               std::uint64_t first_row, std::uint64_t count, void *genomes,
                               runner_buffer *error) {
        return guarded(error, [&] {
            return rows(at(instance), count, static_cast<Gene *>(genomes),
                        [&](std::uint64_t row, Genome<Gene> genome) {
                            Random random(seed, first_row + row);
                            at(instance).problem.mutate(random, genome);
                        });
        });
    }

    static std::int32_t is_valid(const void *instance, std::uint64_t count, const void *genomes,
                                 std::uint8_t *valid, runner_buffer *error) {
        return guarded(error, [&] {
            return rows(at(instance), count, static_cast<const Gene *>(genomes),
                        [&](std::uint64_t row, Genome<const Gene> genome) {
                            valid[row] = at(instance).problem.is_valid(genome) ? 1 : 0;
                        });
        });
    }

    static std::int32_t render(const void *instance, const void *genome, std::uint32_t format,
                               runner_buffer *out, runner_buffer *error) {
        return guarded(error, [&]() -> std::int32_t {
            const Instance &it = at(instance);
            const Genome<const Gene> genes(static_cast<const Gene *>(genome),
                                           it.description.length);
            const std::optional<std::string> words =
                it.problem.render(genes, static_cast<Format>(format));
            if (!words) {
                return RUNNER_INVALID;
            }
            put(out, *words);
            return RUNNER_OK;
        });
    }

    static std::int32_t enumerate(const void *instance, std::uint64_t first, std::uint64_t count,
                                  void *genomes, runner_buffer *error) {
        return guarded(error, [&] {
            return rows(at(instance), count, static_cast<Gene *>(genomes),
                        [&](std::uint64_t row, Genome<Gene> genome) {
                            at(instance).problem.enumerate(first + row, genome);
                        });
        });
    }

    static std::int32_t number(const void *instance, std::uint64_t count, const void *genomes,
                               std::uint64_t *numbers, runner_buffer *error) {
        return guarded(error, [&] {
            return rows(at(instance), count, static_cast<const Gene *>(genomes),
                        [&](std::uint64_t row, Genome<const Gene> genome) {
                            numbers[row] =
                                at(instance).problem.number(genome).value_or(UINT64_MAX);
                        });
        });
    }

    static std::int32_t build_state(const void *instance, const void *genome, void *state,
                                    double *fitness, runner_buffer *error) {
        return guarded(error, [&]() -> std::int32_t {
            using Number = typename P::Number;
            static_assert(std::is_arithmetic_v<Number>, "a state is made of numbers");
            const Instance &it = at(instance);
            const Genome<const Gene> genes(static_cast<const Gene *>(genome),
                                           it.description.length);
            it.problem.build(genes, static_cast<Number *>(state));
            *fitness = it.problem.state_fitness(genes, static_cast<const Number *>(state));
            return RUNNER_OK;
        });
    }

    // Makes a move, and notes what was there before, if asked.
    template <class Number>
    static void make(const Instance &it, Gene *genome, Number *state,
                     const runner_moves &moves, std::uint64_t number,
                     std::vector<std::pair<std::uint32_t, Gene>> *before) {
        const Genome<Gene> genes(genome, it.description.length);
        const auto change = [&](std::uint32_t position, Gene value) {
            if (before != nullptr) {
                before->emplace_back(position, genome[position]);
            }
            it.problem.change(genes, state, position, value);
        };
        if (moves.kind == RUNNER_EXCHANGES) {
            const std::uint32_t *places = moves.positions + 2 * number;
            const Gene one = genome[places[0]], other = genome[places[1]];
            change(places[0], other);
            change(places[1], one);
            return;
        }
        if (moves.kind == RUNNER_REVERSALS || moves.kind == RUNNER_INSERTIONS) {
            const std::uint32_t from = moves.positions[2 * number];
            const std::uint32_t to = moves.positions[2 * number + 1];
            const std::uint32_t low = from < to ? from : to, high = from < to ? to : from;
            std::vector<Gene> moved(genome + low, genome + high + 1);
            if (moves.kind == RUNNER_REVERSALS) {
                std::reverse(moved.begin(), moved.end());
            } else if (from < to) {
                std::rotate(moved.begin(), moved.begin() + 1, moved.end());
            } else {
                std::rotate(moved.begin(), moved.end() - 1, moved.end());
            }
            for (std::uint32_t position = low; position <= high; position++) {
                change(position, moved[position - low]);
            }
            return;
        }
        const Gene *values = static_cast<const Gene *>(moves.values);
        const std::uint64_t from = moves.starts != nullptr ? moves.starts[number] : number;
        const std::uint64_t to = moves.starts != nullptr ? moves.starts[number + 1] : number + 1;
        for (std::uint64_t k = from; k < to; k++) {
            change(moves.positions[k], values[k]);
        }
    }

    static std::int32_t evaluate_moves(const void *instance, void *genome, void *state,
                                       const runner_moves *moves, double *fitness,
                                       runner_buffer *error) {
        return guarded(error, [&]() -> std::int32_t {
            const Instance &it = at(instance);
            Gene *genes = static_cast<Gene *>(genome);
            typename P::Number *numbers = static_cast<typename P::Number *>(state);
            const Genome<Gene> row(genes, it.description.length);
            if constexpr (has_evaluate_moves<P>::value) {
                if (it.problem.evaluate_moves(row, numbers, *moves, fitness)) {
                    return RUNNER_OK;
                }
            }
            std::vector<std::pair<std::uint32_t, Gene>> before;
            for (std::uint64_t number = 0; number < moves->count; number++) {
                before.clear();
                make(it, genes, numbers, *moves, number, &before);
                fitness[number] = it.problem.state_fitness(
                    Genome<const Gene>(genes, it.description.length), numbers);
                for (std::size_t k = before.size(); k > 0; k--) {
                    it.problem.change(row, numbers, before[k - 1].first, before[k - 1].second);
                }
            }
            return RUNNER_OK;
        });
    }

    static std::int32_t apply_move(const void *instance, void *genome, void *state,
                                   const runner_moves *move, runner_buffer *error) {
        return guarded(error, [&]() -> std::int32_t {
            make(at(instance), static_cast<Gene *>(genome),
                 static_cast<typename P::Number *>(state), *move, 0, nullptr);
            return RUNNER_OK;
        });
    }
};

} // namespace detail

// The table that the library exports.
template <class P> constexpr runner_plugin table() {
    using Calls = detail::Calls<P>;
    static_assert(detail::has_change<P>::value == detail::has_state_fitness<P>::value,
                  "a problem with moves has both `change` and `state_fitness`");
    runner_plugin made{};
    made.abi_major = RUNNER_ABI_MAJOR;
    made.abi_minor = RUNNER_ABI_MINOR;
    made.struct_size = sizeof(runner_plugin);
    made.name = text(P::name);
    made.version = text(P::version);
    made.summary = text(P::summary);
    made.parameter_size = sizeof(runner_parameter);
    if constexpr (detail::has_parameters<P>::value) {
        made.parameters = P::parameters;
        made.parameter_count = sizeof(P::parameters) / sizeof(P::parameters[0]);
    }
    made.create = Calls::create;
    made.destroy = Calls::destroy;
    made.describe = Calls::describe;
    made.sample = Calls::sample;
    made.evaluate = Calls::evaluate;
    if constexpr (detail::has_violation<P>::value) {
        made.evaluate_constrained = Calls::evaluate_constrained;
    }
    if constexpr (detail::has_noisy_fitness<P>::value) {
        made.evaluate_noisy = Calls::evaluate_noisy;
    }
    if constexpr (detail::has_crossover<P>::value) {
        made.crossover = Calls::crossover;
    }
    if constexpr (detail::has_mutate<P>::value) {
        made.mutate = Calls::mutate;
    }
    if constexpr (detail::has_is_valid<P>::value) {
        made.is_valid = Calls::is_valid;
    }
    if constexpr (detail::has_render<P>::value) {
        made.render = Calls::render;
    }
    if constexpr (detail::has_enumerate<P>::value) {
        made.enumerate = Calls::enumerate;
    }
    if constexpr (detail::has_number<P>::value) {
        made.number = Calls::number;
    }
    if constexpr (detail::has_change<P>::value) {
        made.build_state = Calls::build_state;
        made.evaluate_moves = Calls::evaluate_moves;
        made.apply_move = Calls::apply_move;
    }
    return made;
}

} // namespace runner

// Makes the problem P the plugin of this library.
#define RUNNER_PLUGIN(P)                                                                           \
    extern "C" RUNNER_EXPORT constexpr runner_plugin runner_plugin_table = runner::table<P>();

#endif
