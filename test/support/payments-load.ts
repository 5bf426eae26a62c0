/** Loads the payments ledger, half of it over HTTP and half with the official client, whatever is killed meanwhile. */
import { expect } from '@jest/globals';
import type { HttpService } from './http-service.ts';
import type { OfficialClient } from './official-client.ts';
import { batches, transferEvent, type PaymentRow } from './payments.ts';
import { eventually } from './shell.ts';

const batchRows = 20;
/** The longest that a killed pod may hold a batch up. */
const batchMaxMs = 120_000;

interface Created {
  readonly result: readonly { readonly id: string; readonly status: string }[];
}
interface Found {
  readonly result: readonly { readonly id: string }[];
}

/**
 * The batches of both halves, in step. `at(percent)` is called before each step, once for each whole percent. Gives how often
 * the outcome of a batch was unknown to the HTTP half, which then looked.
 */
export async function loadPayments(
  over: { readonly http: HttpService; readonly path: string; readonly official: OfficialClient },
  at: (percent: number) => void,
): Promise<number> {
  const halves = [batches(978, batchRows), batches(840, batchRows)] as const;
  const steps = Math.max(halves[0].length, halves[1].length);
  let looked = 0;
  let told = -1;
  for (let step = 0; step < steps; step += 1) {
    const percent = Math.floor((100 * step) / steps);
    if (percent !== told) at(percent);
    told = percent;
    const [first = [], second = []] = halves.map((half) => half[step]);
    const [looks] = await Promise.all([
      first.length === 0 ? 0 : overHttp(over, first),
      second.length === 0 ? undefined : withOfficial(over.official, second),
    ]);
    looked += looks;
  }
  return looked;
}

const expected = (rows: readonly PaymentRow[]) => rows.map((row) => [row.id, row.expected]);

/** Its session repeats what it saw no answer to, and gets the first answer. */
async function withOfficial(client: OfficialClient, rows: readonly PaymentRow[]): Promise<void> {
  const said = await client.ask<string[]>('createTransfers', rows.map(transferEvent));
  expect(said.map((status, index) => [rows[index]?.id, status])).toEqual(expected(rows));
}

/** What was not executed is sent again; where nobody knows, the transfers themselves are asked for. */
async function overHttp(
  { http, path }: { readonly http: HttpService; readonly path: string },
  rows: readonly PaymentRow[],
): Promise<number> {
  const send = <T>(operation: string, body: unknown) =>
    http.send<T>(`${path}/tb/${operation}`, { method: 'POST', body });
  const ids = rows.filter((row) => row.expected === 'created').map((row) => row.id);
  let unknown = false;
  let looks = 0;
  await eventually(
    `the batch from transfer ${rows[0]?.id} on`,
    async () => {
      if (unknown) {
        const { status, body } = await send<Found>('lookup_transfers', ids);
        if (status !== 200) return undefined;
        looks += 1;
        // A batch is one message: all of it was executed, or nothing.
        expect([0, ids.length]).toContain(body.result.length);
        if (body.result.length === ids.length) return true;
        unknown = false;
      }
      try {
        const { status, body } = await send<Created>('create_transfers', rows.map(transferEvent));
        unknown = status === 504 || status === 502;
        if (status !== 200) return undefined;
        const said = body.result.map((row) => [row.id, row.status]);
        expect(said).toEqual(expected(rows));
        return true;
      } catch (error) {
        // A connection that broke tells nothing of what happened at its other end.
        if (error instanceof TypeError) unknown = true;
        throw error;
      }
    },
    batchMaxMs,
  );
  return looks;
}
