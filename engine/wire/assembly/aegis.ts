// AEGIS-128L with SIMD, compiled by AssemblyScript (tools/codegen). WebAssembly has no AES instruction, so the S-box is
// computed with byte shuffles over 4-bit tables (M. Hamburg, "Accelerating AES with vector permute instructions", 2009):
// inversion in GF(2^8) as an extension of GF(2^4) takes nine table look-ups of 16 entries, sixteen bytes at a time. All
// state is kept in the basis of that extension field, so that only messages and the tag are converted.
//
// The host fills the tables (../aegis-tables.ts). Memory:
//      0  inverse          16  a/k             32  u → S·1         48  v → S·1
//     64  u → S·2          80  v → S·2         96  into, low      112  into, high
//    128  out of, low     144  out of, high   160  S-box constant
//    256  state (8 × 16)  384  tag           1024  input (64 KiB)

const STATE: usize = 256;
const TAG: usize = 384;
export const INPUT: usize = 1024;

// @ts-ignore: decorator
@inline
function lookup(table: v128, index: v128): v128 {
  // An index is below 16, or has its top bit set and gives 0: there strict and relaxed swizzle agree on every machine.
  return i8x16.relaxed_swizzle(table, index);
}

// @ts-ignore: decorator
@inline
function low(x: v128): v128 {
  return v128.and(x, i8x16.splat(15));
}

// @ts-ignore: decorator
@inline
function high(x: v128): v128 {
  return low(i16x8.shr_u(x, 4));
}

/** One AES round without its key: MixColumns(ShiftRows(SubBytes(x))), in the state's basis. */
// @ts-ignore: decorator
@inline
function round(x: v128): v128 {
  const inverse = v128.load(0);
  const i = high(x);
  const k = low(x);
  const j = v128.xor(i, k);
  const ak = lookup(v128.load(16), k);
  const io = v128.xor(lookup(inverse, v128.xor(lookup(inverse, i), ak)), j);
  const jo = v128.xor(lookup(inverse, v128.xor(lookup(inverse, j), ak)), i);
  const s = v128.xor(lookup(v128.load(32), io), lookup(v128.load(48), jo));
  const d = v128.xor(lookup(v128.load(64), io), lookup(v128.load(80), jo));
  const t = v128.xor(d, s);
  return v128.xor(
    v128.xor(
      v128.xor(
        i8x16.shuffle(d, d, 0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11),
        i8x16.shuffle(t, t, 5, 10, 15, 0, 9, 14, 3, 4, 13, 2, 7, 8, 1, 6, 11, 12),
      ),
      v128.xor(
        i8x16.shuffle(s, s, 10, 15, 0, 5, 14, 3, 4, 9, 2, 7, 8, 13, 6, 11, 12, 1),
        i8x16.shuffle(s, s, 15, 0, 5, 10, 3, 4, 9, 14, 7, 8, 13, 2, 11, 12, 1, 6),
      ),
    ),
    v128.load(160),
  );
}

// @ts-ignore: decorator
@inline
function convert(x: v128, tables: usize): v128 {
  return v128.xor(lookup(v128.load(tables), low(x)), lookup(v128.load(tables + 16), high(x)));
}

/** Takes `chunks` blocks of 32 bytes from `from` into the state. */
export function absorb(from: usize, chunks: i32): void {
  let s0 = v128.load(STATE);
  let s1 = v128.load(STATE + 16);
  let s2 = v128.load(STATE + 32);
  let s3 = v128.load(STATE + 48);
  let s4 = v128.load(STATE + 64);
  let s5 = v128.load(STATE + 80);
  let s6 = v128.load(STATE + 96);
  let s7 = v128.load(STATE + 112);
  for (let i = 0; i < chunks; i++) {
    const m0 = convert(v128.load(from), 96);
    const m1 = convert(v128.load(from + 16), 96);
    from += 32;
    const last = round(s7);
    s7 = v128.xor(round(s6), s7);
    s6 = v128.xor(round(s5), s6);
    s5 = v128.xor(round(s4), s5);
    s4 = v128.xor(v128.xor(round(s3), s4), m1);
    s3 = v128.xor(round(s2), s3);
    s2 = v128.xor(round(s1), s2);
    s1 = v128.xor(round(s0), s1);
    s0 = v128.xor(v128.xor(last, s0), m0);
  }
  v128.store(STATE, s0);
  v128.store(STATE + 16, s1);
  v128.store(STATE + 32, s2);
  v128.store(STATE + 48, s3);
  v128.store(STATE + 64, s4);
  v128.store(STATE + 80, s5);
  v128.store(STATE + 96, s6);
  v128.store(STATE + 112, s7);
}

/** Ends with `bits` of data taken and leaves the tag at TAG. */
export function finish(bits: u64): void {
  // The added value is in the outer basis: state 2 is converted out, and absorb() converts the sum in again.
  const length = i64x2.replace_lane(i64x2.splat(0), 0, bits);
  const t = v128.xor(convert(v128.load(STATE + 32), 128), length);
  v128.store(INPUT, t);
  v128.store(INPUT + 16, t);
  for (let i = 0; i < 7; i++) absorb(INPUT, 1);
  let sum = v128.load(STATE);
  for (let i: usize = 1; i < 7; i++) sum = v128.xor(sum, v128.load(STATE + i * 16));
  v128.store(TAG, convert(sum, 128));
}

/** Converts the eight blocks of the state, put there in the outer basis, into the state's. */
export function convertState(): void {
  for (let i: usize = 0; i < 8; i++) v128.store(STATE + i * 16, convert(v128.load(STATE + i * 16), 96));
}
