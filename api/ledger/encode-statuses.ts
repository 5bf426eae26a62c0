/** Writes the results of a create operation as JSON: one for each event, with the event's id. */
import type { LedgerRequest } from './decode.ts';
import { statusOf, type Status, type StatusClass } from './statuses.ts';
import { utf8, TextWriter } from './text-writer.ts';

const resultSize = 16;
const statusAt = 8;
/** Typical size of a result's text, in bytes; failures also have a URL, for which the writer grows. */
const resultRoom = 130;

export type Summary = Readonly<Record<StatusClass, number>>;

interface EncodedStatuses {
  readonly json: Uint8Array;
  readonly summary: Summary;
}

export function statusesToJson(request: LedgerRequest, results: Uint8Array): EncodedStatuses {
  const { operation, events } = request;
  const view = new DataView(results.buffer, results.byteOffset, results.length);
  const writer = new TextWriter(2 + (results.length / resultSize) * resultRoom);
  const summary: Record<StatusClass, number> = { created: 0, exists: 0, failed: 0 };
  const texts = new Map<number, Written>();
  for (let index = 0; index * resultSize < results.length; index += 1) {
    const code = view.getUint32(index * resultSize + statusAt, true);
    let known = texts.get(code);
    if (known === undefined) {
      const status = statusOf(operation.name, code);
      known = written(status);
      texts.set(code, known);
    }
    const { status, before, behind } = known;
    summary[status.class] += 1;
    writer.text(index === 0 ? firstIndex : nextIndex);
    writer.count(index);
    writer.text(id);
    writer.readsFrom(events);
    writer.integer(index * operation.eventSize, 16);
    writer.text(before);
    writer.readsFrom(results);
    writer.integer(index * resultSize, 8);
    writer.text(behind);
  }
  writer.text(utf8(results.length === 0 ? '[]' : ']'));
  return { json: writer.written, summary };
}

const firstIndex = utf8('[{"index":');
const nextIndex = utf8(',{"index":');
const id = utf8(',"id":"');

/** A status with the text before and after its timestamp. */
interface Written {
  readonly status: Status;
  readonly before: Uint8Array;
  readonly behind: Uint8Array;
}

function written(status: Status): Written {
  const url = status.documentationUrl;
  return {
    status,
    before: utf8(`","status":"${status.name}","timestamp":"`),
    behind: utf8(url === undefined ? '"}' : `","documentationUrl":"${url}"}`),
  };
}
