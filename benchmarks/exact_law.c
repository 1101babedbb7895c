/* The exact law of a trial of BESA+ with two arms and outcomes 0 and 1, by hand: the yardstick of trials.py, not part of
   the package.

   P(s0, s1 | n0, n1) at p = 1/2, one patient at a time, for one policy and the mean. A table has the successes of the arm
   with fewer patients, the smaller arm, along its rows; it stays where it is while the other arm gets patients, and its
   states move to the next table when the smaller arm gets one. Tables of both arms alike, arm 0 counts as the smaller. */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double *halves; /* C(n, k) / 2^n */
static size_t width;

static double *half(int n) { return halves + (size_t)n * width; }

/* The chances of a duel for all successes k of the larger arm, from those of a better sub-sample: row i of n, m - n. */
static void add_better(double *restrict better, int n, int m, int i) {
    const double weight = half(n)[i + 1], *restrict rest = half(m - n);
    for (int k = 0; k <= m - n; k++) better[i + 1 + k] += weight * rest[k];
}

/* One more patient in all states with n and m patients. `table` has rows of `stride`; the smaller arm's go to `next`. */
static void allocate(double *restrict table, int stride, double *restrict next, int next_stride, int n, int m, int forced,
                     double *restrict room) {
    double *restrict better = room, *restrict inverse = better + m + 1, *restrict larger = inverse + m + 2,
                     *restrict above = larger + m + 3;
    if (forced) {
        for (int i = 0; i <= n; i++) {
            double *restrict row = table + (size_t)i * stride, *restrict failed = next + (size_t)i * next_stride,
                             *restrict succeeded = failed + next_stride;
            for (int k = 0; k <= m; k++) {
                double part = 0.5 * row[k];
                failed[k] += part;
                succeeded[k] += part;
                row[k] = 0.0;
            }
        }
        return;
    }
    for (int k = 0; k <= m; k++) {
        inverse[k] = 1.0 / half(m)[k];
        better[k] = above[k] = 0.0;
    }
    larger[-1] = larger[m + 1] = 0.0;
    for (int i = n; i >= 0; i--) {
        double *restrict row = table + (size_t)i * stride, *restrict succeeded = next + (size_t)(i + 1) * next_stride;
        if (i < n) add_better(better, n, m, i);
        for (int k = 0; k <= m; k++) {
            double chance = better[k] * inverse[k], part = 0.5 * row[k];
            double won = part * (chance < 1.0 ? chance : 1.0), lost = part - won;
            larger[k] = won;
            succeeded[k] += lost + above[k];
            above[k] = lost;
        }
        for (int k = 0; k <= m + 1; k++) row[k] = larger[k] + larger[k - 1];
    }
    for (int k = 0; k <= m; k++) next[k] += above[k];
}

/* Fills on_second[n] with the probability of n patients on arm 1; returns the CPU seconds used, -1 without memory. */
double law(int patients, double floor, double *on_second) {
    clock_t begin = clock();
    int half_of = patients / 2;
    width = (size_t)patients + 2;
    size_t *start = malloc(sizeof(size_t) * (size_t)(half_of + 2)), cells = 0;
    for (int n = 0; n <= half_of; n++) {
        start[n] = cells;
        cells += (size_t)(n + 1) * (size_t)(patients - n + 2);
    }
    halves = calloc(width * width, sizeof(double));
    double *tables[2] = {calloc(cells, sizeof(double)), calloc(cells, sizeof(double))};
    double *room = malloc(sizeof(double) * (size_t)(4 * patients + 16));
    char *reached = calloc(width, 1), *then = calloc(width, 1);
    if (!start || !halves || !tables[0] || !tables[1] || !room || !reached || !then) return -1.0;
    half(0)[0] = 1.0;
    for (int n = 1; n <= patients; n++)
        for (int k = 0; k <= n; k++) half(n)[k] = 0.5 * (half(n - 1)[k] + (k ? half(n - 1)[k - 1] : 0.0));
    tables[0][0] = 1.0;
    reached[0] = 1;
    for (int t = 0; t < patients; t++) {
        double least = floor * log(t + 1.0);
        memset(then, 0, width);
        if (t % 2 == 0 && reached[t / 2]) { /* equal numbers: states of both arms' tables meet, and part again */
            int n = t / 2, stride = patients - n + 2, forced = n == 0 || n < least;
            for (int i = 0; i <= n; i++)
                for (int k = 0; k <= n; k++) {
                    double *to_one = tables[0] + start[n] + (size_t)i * (size_t)stride + k;
                    double *to_zero = tables[1] + start[n] + (size_t)k * (size_t)stride + i;
                    double part = 0.5 * (*to_one + *to_zero), chance = forced || k < i ? 0.0 : k > i ? 1.0 : 0.5;
                    *to_one = part * chance;
                    *to_zero = part - *to_one;
                }
            for (int arm = 0; arm < 2; arm++)
                for (int i = 0; i <= n; i++) {
                    double *row = tables[arm] + start[n] + (size_t)i * stride;
                    row[n + 1] = 0.0;
                    for (int k = n + 1; k > 0; k--) row[k] += row[k - 1];
                }
            then[n] = 1;
            then[n + 1] = !forced;
        }
        for (int arm = 0; arm < 2; arm++)
            for (int n = (t - 1) / 2; n >= 0 && t > 0; n--) {
                int m = t - n, on_one = arm ? n : m, forced = n == 0 || n < least;
                if (!reached[on_one]) continue;
                allocate(tables[arm] + start[n], patients - n + 2, tables[arm] + start[n + 1], patients - n + 1, n, m,
                         forced, room + 1);
                if (!forced) then[arm ? n : m + 1] = 1;
                then[arm ? n + 1 : m] = 1;
            }
        char *kept = reached;
        reached = then;
        then = kept;
    }
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    for (int n = 0; n <= patients; n++) on_second[n] = 0.0;
    for (int arm = 0; arm < 2; arm++)
        for (int n = 0; n <= half_of; n++) {
            int m = patients - n;
            if (arm && m == n && patients % 2) continue;
            for (int i = 0; i <= n; i++)
                for (int k = 0; k <= m; k++)
                    on_second[arm ? n : m] += tables[arm][start[n] + (size_t)i * (size_t)(patients - n + 2) + (size_t)k];
        }
    free(start), free(halves), free(tables[0]), free(tables[1]), free(room), free(reached), free(then);
    return seconds;
}
