/** The explorer's whole state, kept in the address. All values are text: integers stay digits. */
import { given, textOf, wordOf } from '../../lib/search.ts';
import { operationNames } from './operations.ts';

const idsMax = 20_000;

export const readExplorerSearch = (search: Record<string, unknown>) =>
  given({
    op: wordOf(search['op'], operationNames),
    ids: textOf(search['ids'], idsMax),
    account_id: textOf(search['account_id']),
    side: wordOf(search['side'], ['debits', 'credits'] as const),
    ledger: textOf(search['ledger']),
    code: textOf(search['code']),
    user_data_128: textOf(search['user_data_128']),
    user_data_64: textOf(search['user_data_64']),
    user_data_32: textOf(search['user_data_32']),
    from: textOf(search['from']),
    to: textOf(search['to']),
    limit: textOf(search['limit']),
    order: wordOf(search['order'], ['oldest'] as const),
    tab: wordOf(search['tab'], ['json', 'csv', 'request'] as const),
    /** JSON that is sent as it is, instead of the fields. */
    body: textOf(search['body'], idsMax),
    run: wordOf(search['run'], ['1'] as const),
  });

export type ExplorerSearch = ReturnType<typeof readExplorerSearch>;
