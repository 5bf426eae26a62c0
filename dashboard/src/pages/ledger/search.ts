/** State of the ledger's pages, kept in their addresses. */
import { given, textOf } from '../../lib/search.ts';

/** The span of a statement, as a person typed it. */
export const readSpanSearch = (search: Record<string, unknown>) =>
  given({ from: textOf(search['from']), to: textOf(search['to']) });
export type SpanSearch = ReturnType<typeof readSpanSearch>;

export const readTrialSearch = (search: Record<string, unknown>) =>
  given({ ledger: textOf(search['ledger']) });

/** The composer's initial values. */
export const readComposeSearch = (search: Record<string, unknown>) =>
  given({ debit: textOf(search['debit']), ledger: textOf(search['ledger']) });
