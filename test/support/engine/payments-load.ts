/** Loads the payments ledger, half of it over HTTP and half with the official client, whatever is killed meanwhile. */
import { expect } from '@jest/globals';
import type { HttpService } from '../api/http-service.ts';
import type { OfficialClient } from './official-client.ts';
import { batches, transferEvent, type PaymentRow } from './payments.ts';
import { eventually } from '../shell.ts';

const batchRows = 20;
/** The longest that a killed pod may hold a batch up. */
const batchMaxMs = 300_000;

interface Created {
  readonly result: readonly { readonly id: string; readonly status: string }[];
}
interface Found {
  readonly result: readonly { readonly id: string }[];
}

interface Loaded {
  /** How often the outcome of a batch was unknown to the HTTP half, which then looked. */
  looked: number;
  /** The batch that took longest, of each half. */
  httpMaxMs: number;
  officialMaxMs: number;
}

/** The batches of both halves, in step. `at(percent)` is called before each step, once for each whole percent. */
export async function loadPayments(
  over: { readonly http: HttpService; readonly path: string; readonly official: OfficialClient },
  at: (percent: number) => void,
): Promise<Loaded> {
  const halves = [batches(978, batchRows), batches(840, batchRows)] as const;
  const steps = Math.max(halves[0].length, halves[1].length);
  const loaded: Loaded = { looked: 0, httpMaxMs: 0, officialMaxMs: 0 };
  let told = -1;
  for (let step = 0; step < steps; step += 1) {
    const percent = Math.floor((100 * step) / steps);
    if (percent !== told) at(percent);
    told = percent;
    const [first = [], second = []] = halves.map((half) => half[step]);
    const began = Date.now();
    await Promise.all([
      overHttp(over, first).then((looks) => {
        loaded.looked += looks;
        loaded.httpMaxMs = Math.max(loaded.httpMaxMs, Date.now() - began);
      }),
      withOfficial(over.official, second).then(() => {
        loaded.officialMaxMs = Math.max(loaded.officialMaxMs, Date.now() - began);
      }),
    ]);
  }
  return loaded;
}

const expected = (rows: readonly PaymentRow[]) => rows.map((row) => [row.id, row.expected]);

/** Creates the transfers with an official client. Its session repeats unanswered requests, and gets the first answer. */
async function withOfficial(client: OfficialClient, rows: readonly PaymentRow[]): Promise<void> {
  if (rows.length === 0) return;
  const said = await client.ask<string[]>('createTransfers', rows.map(transferEvent));
  expect(said.map((status, index) => [rows[index]?.id, status])).toEqual(expected(rows));
}

/** Creates the transfers over HTTP. Sends a request again if it was not executed; if that is unknown, looks them up. */
async function overHttp(
  { http, path }: { readonly http: HttpService; readonly path: string },
  rows: readonly PaymentRow[],
): Promise<number> {
  if (rows.length === 0) return 0;
  const send = <T>(operation: string, body: unknown) =>
    http.send<T>(`${path}/tb/${operation}`, { method: 'POST', body });
  const ids = rows.filter((row) => row.expected === 'created').map((row) => row.id);
  let unknown = false;
  let looks = 0;
  const look = async () => {
    const { status, body } = await send<Found>('lookup_transfers', ids);
    if (status !== 200) return undefined;
    looks += 1;
    // A batch is one message: all of it was executed, or nothing.
    expect([0, ids.length]).toContain(body.result.length);
    unknown = false;
    return body.result.length === ids.length ? true : undefined;
  };
  const create = async () => {
    // Until the answer is here: a connection that broke tells nothing of what happened at its other end.
    unknown = true;
    const { status, body } = await send<Created>('create_transfers', rows.map(transferEvent));
    unknown = status === 504 || status === 502;
    if (status !== 200) return undefined;
    expect(body.result.map((row) => [row.id, row.status])).toEqual(expected(rows));
    return true;
  };
  const what = `the batch from transfer ${rows[0]?.id} on`;
  await eventually(what, () => (unknown ? look() : create()), batchMaxMs);
  return looks;
}
