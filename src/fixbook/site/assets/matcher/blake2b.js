// BLAKE2b (RFC 7693) without a key, for fingerprints that are equal to the Python program's.

const MASK = (1n << 64n) - 1n;
const START = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
const ORDER = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d", "2c6a0b834d75fe19",
  "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0", "0123456789abcdef", "ea489fd61c02b753",
].map((row) => [...row].map((digit) => parseInt(digit, 16)));
const COLUMNS = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15], [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];
const BLOCK = 128;

function turn(value, bits) {
  return ((value >> bits) | (value << (64n - bits))) & MASK;
}

/** The hash of some bytes in hexadecimal digits, two for each of the `size` bytes. */
export function blake2b(bytes, size) {
  const state = [...START];
  state[0] ^= 0x01010000n ^ BigInt(size);
  const last = Math.max(Math.ceil(bytes.length / BLOCK) - 1, 0);
  for (let number = 0; number <= last; number += 1) {
    const done = Math.min((number + 1) * BLOCK, bytes.length);
    compress(state, wordsOf(bytes.subarray(number * BLOCK, done)), BigInt(done), number === last);
  }
  let out = "";
  for (let at = 0; at < size; at += 1) out += ((state[at >> 3] >> BigInt(8 * (at & 7))) & 255n).toString(16).padStart(2, "0");
  return out;
}

function wordsOf(block) {
  const padded = new Uint8Array(BLOCK);
  padded.set(block);
  const view = new DataView(padded.buffer);
  return Array.from({ length: 16 }, (_, at) => view.getBigUint64(8 * at, true));
}

function compress(state, words, done, isLast) {
  const v = [...state, ...START];
  v[12] ^= done;
  if (isLast) v[14] ^= MASK;
  for (const row of ORDER) COLUMNS.forEach((column, at) => mix(v, column, words[row[2 * at]], words[row[2 * at + 1]]));
  for (let at = 0; at < 8; at += 1) state[at] ^= v[at] ^ v[at + 8];
}

function mix(v, [a, b, c, d], first, second) {
  v[a] = (v[a] + v[b] + first) & MASK;
  v[d] = turn(v[d] ^ v[a], 32n);
  v[c] = (v[c] + v[d]) & MASK;
  v[b] = turn(v[b] ^ v[c], 24n);
  v[a] = (v[a] + v[b] + second) & MASK;
  v[d] = turn(v[d] ^ v[a], 16n);
  v[c] = (v[c] + v[d]) & MASK;
  v[b] = turn(v[b] ^ v[c], 63n);
}
