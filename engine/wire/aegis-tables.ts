/**
 * The tables of `assembly/aegis.ts`, computed from the definition of AES (FIPS 197) rather than written down.
 *
 * GF(2^8) is taken as E = F[t]/(t² + t + ζ) over F = GF(2^4). With x = i·t + j·(t+1), k = i + j and a = 1/ζ, the norm is
 * N = ij + ζk², and u = (ζk + i)/N, v = (ζk + j)/N follow from 1/u = 1/(1/i + a/k) + j and 1/v = 1/(1/j + a/k) + i, with
 * 1/0 as an infinity that looks up as 0. The inverse of x is linear in u and v, hence the S-box and its double are sums
 * of one table over 1/u and one over 1/v.
 */
const INFINITY = 0x80;

function multiply(x: number, y: number, degree: number, polynomial: number): number {
  let [a, product] = [x, 0];
  for (let b = y; b > 0; b >>= 1) {
    if (b & 1) product ^= a;
    a <<= 1;
    if (a & (1 << degree)) a ^= polynomial;
  }
  return product;
}

const times16 = (x: number, y: number) => multiply(x, y, 4, 0b1_0011);
const timesAes = (x: number, y: number) => multiply(x, y, 8, 0x11b);
const range = (count: number) => Array.from({ length: count }, (_, i) => i);

const inverse16 = range(16).map((x) => range(16).find((y) => times16(x, y) === 1) ?? 0);
/** t² + t + ζ must have no root in F. */
const zeta = range(16).find((z) => range(16).every((x) => (times16(x, x) ^ x ^ z) !== 0)) ?? 0;

/** Elements of E as e1·t + e0, in a byte e1 << 4 | e0. */
function timesE(x: number, y: number): number {
  const [x1, x0, y1, y0] = [x >> 4, x & 15, y >> 4, y & 15];
  const both = times16(x1, y1);
  const e1 = both ^ times16(x1, y0) ^ times16(x0, y1);
  return (e1 << 4) | (times16(x0, y0) ^ times16(both, zeta));
}

const powerE = (x: number, n: number): number => (n === 0 ? 1 : timesE(powerE(x, n - 1), x));
/** A root in E of the polynomial of AES: where the isomorphism sends the byte 2. */
const root =
  range(256).find((x) => x > 1 && (powerE(x, 8) ^ powerE(x, 4) ^ powerE(x, 3) ^ x ^ 1) === 0) ?? 0;
const toE = range(256).map((x) =>
  range(8).reduce((sum, bit) => (x & (1 << bit) ? sum ^ powerE(root, bit) : sum), 0),
);
const fromE = range(256).map((e) => toE.indexOf(e));

/** AES byte → i << 4 | k, and back. */
const into = range(256).map((x) => {
  const e = toE[x] ?? 0;
  return (((e >> 4) ^ (e & 15)) << 4) | (e >> 4);
});
const outOf = range(256).map((y) => into.indexOf(y));

/** The linear part of the S-box's affine map. */
function affine(x: number): number {
  const turn = (n: number) => ((x << n) | (x >> (8 - n))) & 0xff;
  return x ^ turn(1) ^ turn(2) ^ turn(3) ^ turn(4);
}

/** From the coefficients of P·t + Q·(t+1) in E to the S-box's value times `factor`, in the state's basis. */
function output(p: number, q: number, factor: number): number {
  return into[timesAes(affine(fromE[((p ^ q) << 4) | q] ?? 0), factor)] ?? 0;
}

function outputTable(which: 'u' | 'v', factor: number): number[] {
  return range(16).map((n) => {
    const w = inverse16[n] ?? 0;
    const scaled = times16(zeta, w);
    return which === 'u' ? output(scaled, w ^ scaled, factor) : output(w ^ scaled, scaled, factor);
  });
}

const linear = (map: readonly number[]) => [
  ...range(16).map((low) => map[low] ?? 0),
  ...range(16).map((high) => map[high << 4] ?? 0),
];

/** The 176 bytes that the module expects at address 0. */
export function aegisTables(): Uint8Array {
  const inverse = inverse16.map((x, n) => (n === 0 ? INFINITY : x));
  const overK = inverse16.map((x, n) => (n === 0 ? INFINITY : times16(inverse16[zeta] ?? 0, x)));
  return Uint8Array.from([
    ...inverse,
    ...overK,
    ...outputTable('u', 1),
    ...outputTable('v', 1),
    ...outputTable('u', 2),
    ...outputTable('v', 2),
    ...linear(into),
    ...linear(outOf),
    ...range(16).map(() => into[0x63] ?? 0),
  ]);
}
