/**
 * Huffman code of HPACK (RFC 7541, Appendix B). The code is canonical: its lengths give the codes, the shorter ones first and those of one
 * length in the order of their symbols.
 */

/** Length in bits of the code of each byte, as a digit in base 36. The end of a string has a code of 30 bits, the last one. */
const LENGTHS =
  'dnsssssssoussussssssssusssssssss6aacd68baa8b8666555666666678f6cad67777777777777777777777878djde6' +
  'f56565666577666567655677777fbedskmkkmmmnmnnnnnonoomnonnnnlmnmnnomlkmmnnlnmmolmnnllmlnmnnkmmmnmmn' +
  'qqkjmnmpqqqrrqopjlqrrqrollqqsrrrkoklmllnmmppooqnqrqqrrrrrsrrrrrq';

const LENGTH_MAX = 30;

/** The symbols in the order of their codes. */
const symbols: number[] = [];
/** By length: the first code, and the place of its symbol. */
const firstCodes: number[] = [0];
const firstPlaces: number[] = [0];
for (let length = 1; length <= LENGTH_MAX; length += 1) {
  const shorter = symbols.length - (firstPlaces[length - 1] ?? 0);
  firstCodes.push(((firstCodes[length - 1] ?? 0) + shorter) * 2);
  firstPlaces.push(symbols.length);
  for (let symbol = 0; symbol < LENGTHS.length; symbol += 1)
    if (Number.parseInt(LENGTHS.charAt(symbol), 36) === length) symbols.push(symbol);
}

/** Returns the text, or `undefined` if the bytes are no code. */
export function decodeHuffman(bytes: Uint8Array): string | undefined {
  const found: number[] = [];
  let [code, length] = [0, 0];
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      code = code * 2 + ((byte >> bit) & 1);
      length += 1;
      if (length > LENGTH_MAX) return undefined;
      const place = (firstPlaces[length] ?? 0) + code - (firstCodes[length] ?? 0);
      const end = firstPlaces[length + 1] ?? symbols.length;
      if (place >= end) continue;
      found.push(symbols[place] ?? 0);
      [code, length] = [0, 0];
    }
  }
  // The rest of the last byte is filled with ones.
  if (length > 7 || code !== 2 ** length - 1) return undefined;
  return Buffer.from(found).toString('latin1');
}
