/*
 * Random draws as a function of (seed, tree, path, draw), never of schedule.
 *
 * Compiled by gcc and nvcc alike; integers only.  All draws of a forest come
 * from rf_mix: rf-forest(5), Draws.
 * The finaliser is that of SplitMix64 (Steele, Lea, Flood 2014).  The
 * permutation is a Feistel network with cycle walking; 4 rounds and affine maps
 * were visibly biased (pair frequencies up to 1.5 of uniform).
 */
#ifndef RF_ARITH_RNG_H
#define RF_ARITH_RNG_H

#include <stdint.h>

#ifdef __CUDACC__
# define RF_INLINE static __host__ __device__ __forceinline__
#else
# define RF_INLINE static inline
#endif

RF_INLINE uint64_t
rf_mix(uint64_t key, uint64_t value)
{
	uint64_t z = key ^ (value + 1) * UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

/* High 64 bits of the product: a draw from 0..n-1 by a random 64-bit word. */
RF_INLINE uint64_t
rf_below(uint64_t random, uint64_t n)
{
#ifdef __CUDA_ARCH__
	return __umul64hi(random, n);
#else
	return (uint64_t)((__extension__(unsigned __int128) random * n) >> 64);
#endif
}

/* What a key is for; keeps the draws of a tree apart. */
#define RF_USE_NODE  UINT64_C(1) /* features of nodes, by path */
#define RF_USE_BLOCK UINT64_C(2) /* bag, step 1: draws to blocks of rows */
#define RF_USE_ROW   UINT64_C(3) /* bag, step 2: draws in a block */

RF_INLINE uint64_t
rf_key_tree(uint64_t seed, int64_t tree, uint64_t use)
{
	uint64_t key = rf_mix(UINT64_C(0x72662d746f6f6c73), seed);

	return rf_mix(rf_mix(key, (uint64_t)tree), use);
}

/* The key of a node's child; side: 0 left, 1 right.  The root's key is
 * rf_key_tree(.., RF_USE_NODE). */
RF_INLINE uint64_t
rf_key_child(uint64_t key, int side)
{
	return rf_mix(key, (uint64_t)side);
}

/*
 * Bag.  Step 1: draws d = 0..n_draws-1 fall on blocks of RF_BAG_BLOCK rows,
 * each in proportion to its size; block_key is rf_key_tree(.., RF_USE_BLOCK).
 * Step 2: the draws j = 0..count-1 of a block of `size` rows fall on its rows;
 * in_block_key is rf_mix(rf_key_tree(.., RF_USE_ROW), block).
 */
#define RF_BAG_BLOCK 4096

RF_INLINE uint64_t
rf_bag_block(uint64_t block_key, uint64_t draw, uint64_t n_rows)
{
	return rf_below(rf_mix(block_key, draw), n_rows) / RF_BAG_BLOCK;
}

RF_INLINE uint32_t
rf_bag_row(uint64_t in_block_key, uint64_t j, uint32_t size)
{
	return (uint32_t)rf_below(rf_mix(in_block_key, j), size);
}

/* The 32-bit key of a node's feature permutation, from the node's key. */
RF_INLINE uint32_t
rf_draw_key(uint64_t node_key)
{
	return (uint32_t)(node_key ^ node_key >> 32);
}

/* Bits of the domain for n elements: the least b >= 1 with 2^b >= n. */
RF_INLINE int
rf_draw_bits(uint32_t n)
{
	int bits = 1;

	while (bits < 31 && (UINT32_C(1) << bits) < n)
		bits++;
	return bits;
}

/* Two multiplications and a shift between: with one, domains of 8 and less
 * were biased (first draws of 5 features 10 % off). */
RF_INLINE uint32_t
rf_draw_round(uint32_t half, uint32_t key)
{
	uint32_t f = (half ^ key) * UINT32_C(0x7feb352d);

	f = (f ^ f >> 15) * UINT32_C(0x846ca68b);
	return f >> 16;
}

/* Small domains mix slowly: with 8 rounds a pair of 5 features was 29 % off. */
#define RF_DRAW_ROUNDS(bits) ((bits) < 5 ? 20 : 8)

/* One pass of the rounds over [0, 2^bits); even rounds change the low half.
 * Round keys follow from the one before by an affine step. */
RF_INLINE uint32_t
rf_draw_feistel(uint32_t key, uint32_t x, int bits)
{
	int low_bits = bits / 2, high_bits = bits - low_bits;
	uint32_t low_mask = (UINT32_C(1) << low_bits) - 1;
	uint32_t high_mask = (UINT32_C(1) << high_bits) - 1;
	uint32_t low = x & low_mask, high = x >> low_bits;

	for (int round = 0; round < RF_DRAW_ROUNDS(bits); round++) {
		key = key * UINT32_C(0x9E3779B1) + UINT32_C(0x85ebca6b);
		if (round & 1)
			high ^= rf_draw_round(low, key) & high_mask;
		else
			low ^= rf_draw_round(high, key) & low_mask;
	}
	return high << low_bits | low;
}

/*
 * Element k = 0..n-1 of the node's permutation of 0..n-1: a position in the
 * list of active features (those of more than one code over all rows).
 */
RF_INLINE uint32_t
rf_draw(uint32_t draw_key, uint32_t k, uint32_t n, int bits)
{
	uint32_t x = k;

	do
		x = rf_draw_feistel(draw_key, x, bits);
	while (x >= n);
	return x;
}

#endif
