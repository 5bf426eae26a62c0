/** Prints answers of the API: unchanged with `--json`, otherwise for people. */
import type { Context } from '../context.ts';
import { notTheApi, type Answer } from '../http/answer.ts';
import type { Received } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { lineEnded, type Output } from './output.ts';

export function printAnswer<D>(
  { output }: Context,
  input: Input,
  { answer, document }: Received<D>,
  text: (document: D) => string,
): void {
  output.result(
    input.has('json') ? lineEnded(answer.text) : shown(output, answer, () => text(document)),
  );
}

/** A document without the properties of the contract, such as one of another service, is no bug of this tool. */
function shown(output: Output, { status }: Answer, text: () => string): string {
  try {
    return text();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    output.trace(error.stack ?? error.message);
    throw notTheApi(status, `a document of another form (${error.message})`);
  }
}

/** For lists: notes how to get the next page. */
export function notePage(
  { output }: Context,
  page: { readonly hasMore: boolean; readonly nextCursor: string | null },
): void {
  if (page.hasMore) output.note(`more follow: --cursor ${page.nextCursor ?? ''}`);
}

/** Text of a value for people; a dash if there is none. */
export const orDash = (value: string | number | null | undefined): string =>
  value === null || value === undefined || value === '' ? '-' : String(value);
