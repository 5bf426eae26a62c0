import { noEvents, type Events } from './events.ts';
import type { Issues } from './issues.ts';
import type { JsonReader } from './json-reader.ts';
import { offsetOf, transfer, type Layout } from './layouts.ts';
import { eventsMax } from './operations.ts';
import { RecordReader } from './record-reader.ts';
import { transferFlags } from './flags.ts';

/** Smallest size of an event in bytes, with its comma: `{},`. */
const eventTextMin = 3;

/** Decodes an array of accounts or transfers. */
export function decodeEvents(
  { layout, noun }: { readonly layout: Layout; readonly noun: string },
  json: JsonReader,
  issues: Issues,
): Events {
  if (!json.opensArray()) {
    issues.add([], 'invalid_type', `Must be an array of ${noun}.`);
    json.skip();
    return noEvents;
  }
  const room = Math.min(eventsMax, Math.ceil(json.bytes.length / eventTextMin));
  const bytes = new Uint8Array(room * layout.size);
  const view = new DataView(bytes.buffer);
  const reader = new RecordReader(json, issues, layout);
  let count = 0;
  for (; json.arrayGoesOn(count === 0); count += 1) {
    if (count === eventsMax) return { ...noEvents, count: count + 1 };
    const base = count * layout.size;
    const issuesBefore = issues.count;
    const isObject = reader.read(view, base, [count]);
    // Which properties are required depends on the flags, so an event's other errors are reported first.
    if (isObject && issues.count === issuesBefore) {
      checkPresence(layout, reader, view, base, count, issues);
    }
  }
  return { events: bytes.subarray(0, count * layout.size), count, limit: undefined };
}

function checkPresence(
  layout: Layout,
  reader: RecordReader,
  view: DataView,
  base: number,
  index: number,
  issues: Issues,
): void {
  for (const name of requiredOf(layout, view, base)) {
    if (!reader.has(name)) issues.add([index, name], 'required', 'This property is required.');
  }
  if (reader.has('timeout') && reader.has('timeout_ms')) {
    issues.add(
      [index, 'timeout_ms'],
      'conflicting_properties',
      'Give either timeout, in seconds, or timeout_ms, in milliseconds.',
    );
  }
}

const accountRequired = ['id', 'ledger', 'code'] as const;
const transferRequired = [
  'id',
  'debit_account_id',
  'credit_account_id',
  'amount',
  'ledger',
  'code',
] as const;
/** An omitted property is taken from the pending transfer. `amount` is required: an omitted amount would post nothing. */
const postRequired = ['id', 'pending_id', 'amount'] as const;
const voidRequired = ['id', 'pending_id'] as const;

const flagsAt = offsetOf(transfer, 'flags');
const { post_pending_transfer: post = 0, void_pending_transfer: voids = 0 } = transferFlags;

function requiredOf(layout: Layout, view: DataView, base: number): readonly string[] {
  if (layout !== transfer) return accountRequired;
  const flags = view.getUint16(base + flagsAt, true);
  if ((flags & post) !== 0) return postRequired;
  return (flags & voids) === 0 ? transferRequired : voidRequired;
}
