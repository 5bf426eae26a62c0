/** Strict JSON (RFC 8259) for bodies of the control plane: no duplicate properties, limited nesting, offsets in bytes. */
import { JsonReader, MalformedJson } from '../ledger/json-reader.ts';
import { Refusal } from '../model/refusal.ts';

const quote = 0x22;
const depthMax = 16;

export function parseJsonBody(bytes: Uint8Array): unknown {
  const reader = new JsonReader(bytes);
  try {
    const value = read(reader, 0);
    reader.end();
    return value;
  } catch (error) {
    if (!(error instanceof MalformedJson)) throw error;
    throw new Refusal('malformed_json', {
      detail: `The body is not valid JSON at byte ${error.offset}: ${error.message}.`,
      members: { offset: error.offset },
    });
  }
}

function read(reader: JsonReader, depth: number): unknown {
  const next = reader.peek();
  if (depth > depthMax) throw new MalformedJson(reader.at, `nested deeper than ${depthMax}`);
  if (next === quote) return reader.string();
  if (reader.opensArray()) {
    const items: unknown[] = [];
    while (reader.arrayGoesOn(items.length === 0)) items.push(read(reader, depth + 1));
    return items;
  }
  if (reader.opensObject()) return readObject(reader, depth);
  const from = reader.at;
  reader.skip();
  return JSON.parse(Buffer.from(reader.bytes.subarray(from, reader.at)).toString()) as unknown;
}

function readObject(reader: JsonReader, depth: number): unknown {
  const properties = new Map<string, unknown>();
  while (reader.objectGoesOn(properties.size === 0)) {
    const at = reader.at;
    const name = reader.string();
    if (properties.has(name)) {
      throw new MalformedJson(
        at,
        `the property ${JSON.stringify(name.slice(0, 100))} a second time`,
      );
    }
    reader.colon();
    properties.set(name, read(reader, depth + 1));
  }
  // Unlike an assignment, this creates an own property `__proto__` too.
  return Object.fromEntries(properties);
}
