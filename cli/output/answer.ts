/** Printing what the API answered: as it came with `--json`, else for people. */
import type { Context } from '../context.ts';
import type { Received } from '../http/contract.ts';
import type { Input } from '../input.ts';
import { lineEnded } from './output.ts';

export function printAnswer<D>(
  { output }: Context,
  input: Input,
  { answer, document }: Received<D>,
  text: (document: D) => string,
): void {
  output.result(input.has('json') ? lineEnded(answer.text) : text(document));
}

/** For lists: how to go on. */
export function notePage(
  { output }: Context,
  page: { readonly hasMore: boolean; readonly nextCursor: string | null },
): void {
  if (page.hasMore) output.note(`more follow: --cursor ${page.nextCursor ?? ''}`);
}

/** What is not there, for people. */
export const orDash = (value: string | number | null | undefined): string =>
  value === null || value === undefined || value === '' ? '-' : String(value);
