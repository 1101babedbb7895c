/* BESA+ for the mean-variance on truncated normal mixtures, by hand: the yardstick of speed.py, not part of the package.

   The same algorithm as primum's (Aboutalebi, Precup, Schuster 2019, Algorithm 1, in a random knock-out tournament),
   specialised to one policy, one value and one family of rewards. It keeps one generator for a whole run, where primum
   derives a fresh one for each step from (seed, replication, step). */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define TIE 1e-12

typedef struct {
    uint64_t a, b; /* xoroshiro128++ (Blackman, Vigna 2021) */
    double spare;  /* the second number of Marsaglia's polar method */
    int has_spare;
} Random;

typedef struct {
    int64_t pulls;
    double sum, squares;
    double *bag; /* rewards in no particular order */
} Arm;

static inline uint64_t rotate(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static inline uint64_t next_word(uint64_t *a, uint64_t *b) {
    uint64_t s0 = *a, s1 = *b, word = rotate(s0 + s1, 17) + s0;
    s1 ^= s0;
    *a = rotate(s0, 49) ^ s1 ^ (s1 << 21);
    *b = rotate(s1, 28);
    return word;
}

static inline double uniform(Random *random) {
    return ((double)(next_word(&random->a, &random->b) >> 12) + 0.5) * 0x1p-52;
}

/* A uniform whole number in [0, n), exactly, from 32 random bits: Lemire's multiplication; seldom it needs more words. */
static inline uint32_t bounded(uint64_t half, uint32_t n, uint64_t *a, uint64_t *b) {
    uint64_t product = half * n;
    if (__builtin_expect((uint32_t)product < n, 0)) {
        uint32_t threshold = -n % n;
        while ((uint32_t)product < threshold) product = (next_word(a, b) >> 32) * n;
    }
    return (uint32_t)(product >> 32);
}

static inline uint32_t below(Random *random, uint32_t n) {
    return bounded(next_word(&random->a, &random->b) >> 32, n, &random->a, &random->b);
}

static double normal(Random *random) {
    if (random->has_spare) {
        random->has_spare = 0;
        return random->spare;
    }
    double x, y, r;
    do {
        x = 2.0 * uniform(random) - 1.0;
        y = 2.0 * uniform(random) - 1.0;
        r = x * x + y * y;
    } while (r >= 1.0 || r == 0.0);
    double scale = sqrt(-2.0 * log(r) / r);
    random->spare = y * scale;
    random->has_spare = 1;
    return x * scale;
}

/* Normals of equal weight, the mixture truncated to [0, 1]. */
static double mixture(Random *random, int components, const double *locations, const double *deviations) {
    for (;;) {
        uint32_t i = below(random, (uint32_t)components);
        double x = locations[i] + deviations[i] * normal(random);
        if (x >= 0.0 && x <= 1.0) return x;
    }
}

static inline double mean_variance(int64_t n, double sum, double squares, double rho) {
    double mean = sum / (double)n;
    if (n < 2) return mean;
    double spread = squares - sum * mean;
    return mean - rho * (spread > 0.0 ? spread : 0.0) / (double)(n - 1);
}

/* One step of a Fisher-Yates shuffle: any of bag[i], bag[i + 1], ... comes to place i; it is returned. */
static inline double draw_to(double *bag, int64_t i, uint32_t offset) {
    double x = bag[i + offset];
    bag[i + offset] = bag[i];
    bag[i] = x;
    return x;
}

/* The value of a fresh uniform n-subset: a partial shuffle of the smaller of the kept and the left out part. */
static double value_of_subsample(Arm *arm, int64_t n, double rho, Random *random) {
    int64_t size = arm->pulls;
    if (n == size) return mean_variance(n, arm->sum, arm->squares, rho);
    int64_t moved = 2 * n <= size ? n : size - n;
    uint64_t a = random->a, b = random->b; /* in registers */
    double sum = 0.0, squares = 0.0;
    for (int64_t i = 0; i < moved; i += 2) { /* each word serves two draws */
        uint64_t word = next_word(&a, &b);
        double x = draw_to(arm->bag, i, bounded(word >> 32, (uint32_t)(size - i), &a, &b));
        sum += x;
        squares += x * x;
        if (i + 1 == moved) break;
        x = draw_to(arm->bag, i + 1, bounded(word & 0xffffffffu, (uint32_t)(size - i - 1), &a, &b));
        sum += x;
        squares += x * x;
    }
    random->a = a;
    random->b = b;
    return moved == n ? mean_variance(n, sum, squares, rho)
                      : mean_variance(n, arm->sum - sum, arm->squares - squares, rho);
}

static int duel(Arm *arms, int first, int second, double rho, Random *random) {
    Arm *a = arms + first, *b = arms + second;
    int64_t n = a->pulls < b->pulls ? a->pulls : b->pulls;
    double va = value_of_subsample(a, n, rho, random), vb = value_of_subsample(b, n, rho, random);
    if (fabs(va - vb) > TIE) return va > vb ? first : second;
    if (a->pulls != b->pulls) return a->pulls < b->pulls ? first : second;
    return below(random, 2) ? second : first;
}

static int tournament(Arm *arms, int count, int *order, double rho, Random *random) {
    for (int i = 0; i < count; i++) order[i] = i;
    for (int i = 0; i < count - 1; i++) {
        int j = i + (int)below(random, (uint32_t)(count - i)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    int left = 1;
    while (2 * left <= count) left *= 2;
    for (int i = 0; i < left; i++) {
        int from = i * count / left, to = (i + 1) * count / left;
        order[i] = to - from == 1 ? order[from] : duel(arms, order[from], order[from + 1], rho, random);
    }
    while (left > 1) {
        left /= 2;
        for (int i = 0; i < left; i++) order[i] = duel(arms, order[2 * i], order[2 * i + 1], rho, random);
    }
    return order[0];
}

static int choose(Arm *arms, int count, int64_t step, int *order, double rho, Random *random) {
    int least = 0;
    for (int k = 1; k < count; k++)
        if (arms[k].pulls < arms[least].pulls) least = k;
    if (arms[least].pulls == 0 || (double)arms[least].pulls < log((double)step)) return least;
    return tournament(arms, count, order, rho, random);
}

/* Play `replications` games; pulls[r * count + k] receives the final pulls. Returns the CPU seconds used, -1 without memory. */
double play(int count, int components, const double *locations, const double *deviations, double rho, int64_t horizon,
            int replications, uint64_t seed, int64_t *pulls) {
    clock_t start = clock();
    Arm *arms = malloc((size_t)count * sizeof *arms);
    int *order = malloc((size_t)count * sizeof *order);
    double *bags = malloc((size_t)count * (size_t)horizon * sizeof *bags);
    if (!arms || !order || !bags) {
        free(arms), free(order), free(bags);
        return -1.0;
    }
    /* odd multipliers spread the seed over the state, which must not be zero */
    Random random = {seed * 0x9e3779b97f4a7c15u + 1, seed * 0xbf58476d1ce4e5b9u + 2, 0.0, 0};
    for (int i = 0; i < 32; i++) next_word(&random.a, &random.b);
    for (int r = 0; r < replications; r++) {
        for (int k = 0; k < count; k++) arms[k] = (Arm){0, 0.0, 0.0, bags + (size_t)k * (size_t)horizon};
        for (int64_t step = 1; step <= horizon; step++) {
            int k = choose(arms, count, step, order, rho, &random);
            double x = mixture(&random, components, locations + k * components, deviations + k * components);
            arms[k].bag[arms[k].pulls++] = x;
            arms[k].sum += x;
            arms[k].squares += x * x;
        }
        for (int k = 0; k < count; k++) pulls[r * count + k] = arms[k].pulls;
    }
    free(arms), free(order), free(bags);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}
