import { noEvents, type Events } from './events.ts';
import type { Issues } from './issues.ts';
import { IntegerFound, MalformedJson, type JsonReader } from './json-reader.ts';
import { eventsMax } from './operations.ts';

const idSize = 16;
/** Smallest size of an ID in bytes, with its comma. */
const idTextMin = 2;
const shapeDetail = 'Must be an array of ids, or an object with such an array as “ids”.';

/** Decodes `["1", "2"]` or `{ "ids": ["1", "2"] }`. */
export function decodeIds(json: JsonReader, issues: Issues): Events {
  if (json.opensArray()) return idsOfArray(json, issues, []);
  if (!json.opensObject()) {
    issues.add([], 'invalid_type', shapeDetail);
    json.skip();
    return noEvents;
  }
  let found: Events | undefined;
  for (let first = true; json.objectGoesOn(first); first = false) {
    const { at } = json;
    const name = json.string();
    json.colon();
    if (name !== 'ids') {
      issues.add([name], 'unknown_property', 'This property is unknown here; known is ids.');
      json.skip();
    } else if (found !== undefined) {
      throw new MalformedJson(at, 'the property “ids” occurs twice');
    } else if (json.opensArray()) {
      found = idsOfArray(json, issues, ['ids']);
      if (found.count > eventsMax) return found;
    } else {
      issues.add(['ids'], 'invalid_type', 'Must be an array of ids.');
      json.skip();
      found = noEvents;
    }
  }
  if (found === undefined) issues.add(['ids'], 'required', 'This property is required.');
  return found ?? noEvents;
}

function idsOfArray(json: JsonReader, issues: Issues, path: readonly string[]): Events {
  const room = Math.min(eventsMax, Math.ceil(json.bytes.length / idTextMin));
  const bytes = new Uint8Array(room * idSize);
  const view = new DataView(bytes.buffer);
  const words = new Uint32Array(4);
  let count = 0;
  for (; json.arrayGoesOn(count === 0); count += 1) {
    if (count === eventsMax) return { ...noEvents, count: count + 1 };
    const found = json.integer(words);
    if (found !== IntegerFound.taken) {
      issues.add(
        [...path, count],
        'invalid_integer',
        'Must be an id: a whole number below 2^128, as a string of digits or a JSON integer.',
      );
    } else {
      words.forEach((word, i) => view.setUint32(count * idSize + i * 4, word, true));
    }
  }
  return { events: bytes.subarray(0, count * idSize), count, limit: undefined };
}
