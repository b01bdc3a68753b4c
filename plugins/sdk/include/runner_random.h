/* runner_random.h: the random numbers of one row, for plugins in C and C++. They are those of the
 * SDK in Rust, bit for bit: xoshiro256++ (Blackman & Vigna 2021, doi:10.1145/3460772), whose state
 * is derived from the call's seed and the row's number alone.
 *
 *     runner_random random = runner_random_of_row(seed, first_row + i);
 *     genome[0] = (uint8_t)runner_random_below(&random, 2);
 */
#ifndef RUNNER_RANDOM_H
#define RUNNER_RANDOM_H

#include <stdint.h>

typedef struct runner_random {
    uint64_t state[4];
} runner_random;

/* The finaliser of SplitMix64 (Steele, Lea & Flood 2014, doi:10.1145/2660193.2660195). */
static inline uint64_t runner_random_mix(uint64_t bits) {
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    return bits ^ bits >> 31;
}

/* The generator of row number `row` of a call with this seed. */
static inline runner_random runner_random_of_row(const uint8_t seed[32], uint64_t row) {
    /* Odd: the first bits of the fractions of the golden ratio and of the roots of 2, 3 and 5. */
    static const uint64_t odd[4] = { 0x9e3779b97f4a7c15u, 0x6a09e667f3bcc909u, 0xbb67ae8584caa73bu,
                                     0x3c6ef372fe94f82bu };
    runner_random random = { { 0, 0, 0, 0 } };
    for (int word = 0; word < 4; word++) {
        uint64_t bits = 0;
        for (int byte = 7; byte >= 0; byte--) {
            bits = bits << 8 | seed[8 * word + byte];
        }
        random.state[word] = runner_random_mix(bits + row * odd[word]);
    }
    if ((random.state[0] | random.state[1] | random.state[2] | random.state[3]) == 0) {
        /* The one state that the generator would never leave: SplitMix64 from 0 in its place. */
        for (int word = 0; word < 4; word++) {
            random.state[word] = runner_random_mix((uint64_t)(word + 1) * 0x9e3779b97f4a7c15u);
        }
    }
    return random;
}

/* 64 random bits. */
static inline uint64_t runner_random_next(runner_random *random) {
    uint64_t *s = random->state, sum = s[0] + s[3];
    uint64_t result = (sum << 23 | sum >> 41) + s[0], shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = s[3] << 45 | s[3] >> 19;
    return result;
}

/* A whole number below `bound`, which is at least 1; each with the same probability. */
static inline uint64_t runner_random_below(runner_random *random, uint64_t bound) {
    /* Numbers beyond the largest multiple of `bound` are drawn again. */
    uint64_t rest = (UINT64_MAX - bound + 1) % bound, bits;
    do {
        bits = runner_random_next(random);
    } while (bits < rest);
    return bits % bound;
}

/* A number of 53 bits, at least 0 and below 1. */
static inline double runner_random_unit(runner_random *random) {
    return (double)(runner_random_next(random) >> 11) * 0x1p-53;
}

#endif
