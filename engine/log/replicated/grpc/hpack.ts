/**
 * Header blocks of HTTP/2 (HPACK, RFC 7541) without a dynamic table: this client says that it keeps none, and uses none itself. So a
 * block has the same meaning wherever it comes.
 */
import { decodeHuffman } from './huffman.ts';

/** Bytes that break the format. The connection's state is lost with them. */
export class HeaderError extends Error {
  override readonly name = 'HeaderError';
  readonly code = 'malformed_headers';
}

export type Headers = ReadonlyMap<string, string>;

/** Encodes headers, each name and value as it is. */
export function encodeHeaders(headers: readonly (readonly [string, string])[]): Buffer {
  const parts = headers.flatMap(([name, value]) => [
    Buffer.of(0),
    ...encodeText(name),
    ...encodeText(value),
  ]);
  return Buffer.concat(parts);
}

function encodeText(text: string): Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  const size: number[] = [];
  let rest = bytes.length;
  if (rest < 127) size.push(rest);
  else {
    size.push(127);
    for (rest -= 127; rest >= 128; rest = Math.floor(rest / 128)) size.push((rest % 128) + 128);
    size.push(rest);
  }
  return [Buffer.from(size), bytes];
}

/** Decodes a block. Throws HeaderError. A name that comes twice has its last value. */
export function decodeHeaders(block: Uint8Array): Headers {
  const reader = new BlockReader(block);
  const headers = new Map<string, string>();
  while (!reader.isAtEnd) {
    const first = reader.peek();
    if (first >= 0x80) {
      const [name, value] = known(reader.number(7));
      headers.set(name, value);
    } else if (first >= 0x20 && first < 0x40) {
      if (reader.number(5) !== 0) throw new HeaderError('a table of headers was not offered');
    } else {
      const index = reader.number(first >= 0x40 ? 6 : 4);
      const name = index === 0 ? reader.text() : known(index)[0];
      headers.set(name, reader.text());
    }
  }
  return headers;
}

class BlockReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  peek(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new HeaderError('a header is cut off');
    return byte;
  }

  /** Reads a number whose first byte has `bits` bits of it. */
  number(bits: number): number {
    const full = 2 ** bits - 1;
    let value = this.#next() & full;
    if (value < full) return value;
    for (let scale = 1; scale <= 2 ** 21; scale *= 128) {
      const byte = this.#next();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw new HeaderError('a number is too long');
  }

  text(): string {
    const isHuffman = this.peek() >= 0x80;
    const size = this.number(7);
    const bytes = this.#bytes.subarray(this.#at, this.#at + size);
    if (bytes.length < size) throw new HeaderError('a header is cut off');
    this.#at += size;
    const text = isHuffman ? decodeHuffman(bytes) : Buffer.from(bytes).toString('latin1');
    if (text === undefined) throw new HeaderError('a text is no Huffman code');
    return text;
  }

  #next(): number {
    const byte = this.peek();
    this.#at += 1;
    return byte;
  }
}

/** Returns a header of the static table (RFC 7541, Appendix A). */
function known(index: number): readonly [string, string] {
  const line = STATIC[index - 1];
  if (line === undefined) throw new HeaderError(`there is no header ${index}`);
  const [name = '', value = ''] = line.split('=');
  return [name, value];
}

const STATIC = [
  ':authority|:method=GET|:method=POST|:path=/|:path=/index.html|:scheme=http|:scheme=https|:status=200|:status=204|:status=206',
  ':status=304|:status=400|:status=404|:status=500|accept-charset|accept-encoding=gzip, deflate|accept-language|accept-ranges|accept',
  'access-control-allow-origin|age|allow|authorization|cache-control|content-disposition|content-encoding|content-language',
  'content-length|content-location|content-range|content-type|cookie|date|etag|expect|expires|from|host|if-match|if-modified-since',
  'if-none-match|if-range|if-unmodified-since|last-modified|link|location|max-forwards|proxy-authenticate|proxy-authorization|range',
  'referer|refresh|retry-after|server|set-cookie|strict-transport-security|transfer-encoding|user-agent|vary|via|www-authenticate',
]
  .join('|')
  .split('|');
