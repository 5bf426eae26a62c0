/** Queries of the pages of accounts and transfers. */
import { queryOptions } from '@tanstack/react-query';
import type { Account, Transfer } from '../../../../gen/api.ts';
import { serverNow } from '../../lib/clock.ts';
import { askAllPages, askLedger, rowsMax, type LedgerAddress } from '../../data/ledger.ts';
import { chainOf, isTransfer } from '../../lib/records.ts';
import { lifeOf, type PendingLife } from './pending.ts';
import { readStatement, type Statement } from './statement.ts';
import { trialOf, type Trial } from './trial.ts';

/** Most pages of 8,189 rows that one query reads. */
const pagesMax = 24;

/** All data of one ledger; a write invalidates it. */
export const ledgerKey = ({ databaseId }: LedgerAddress) => ['ledger', databaseId] as const;

export class NotThere extends Error {
  override readonly name = 'NotThere';
}

export const accountQuery = (at: LedgerAddress, id: string) =>
  queryOptions({
    queryKey: [...ledgerKey(at), 'account', id],
    queryFn: async ({ signal }): Promise<Account> => readAccount({ ...at, signal }, id),
  });

async function readAccount(at: LedgerAddress, id: string): Promise<Account> {
  const { result } = await askLedger(at, 'lookup_accounts', { ids: [id] });
  const [account] = result;
  if (account === undefined) throw new NotThere(`There is no account ${id} in this database.`);
  return account;
}

const tooMany = (what: string) =>
  new Error(`There are more than ${pagesMax * rowsMax} ${what}. Choose a shorter span.`);

interface Span {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

const bounds = ({ from, to }: Span) => ({
  ...(from !== undefined && { timestamp_min: from }),
  ...(to !== undefined && { timestamp_max: to }),
});

export const statementQuery = (
  address: LedgerAddress,
  account: Account,
  span: Span,
  onRows: (count: number) => void,
) =>
  queryOptions({
    queryKey: [...ledgerKey(address), 'statement', account.id, span],
    queryFn: ({ signal }): Promise<Statement> => {
      const at = { ...address, signal };
      return readStatement(
        account,
        {
          account: () => readAccount(at, account.id),
          transfers: async (within) => {
            const filter = { account_id: account.id, ...bounds(within) };
            const limits = { pagesMax, onRows };
            const all = await askAllPages(at, 'get_account_transfers', filter, limits);
            if (!all.isWhole) throw tooMany('transfers in this span');
            return all.rows;
          },
          balanceBefore: async (time) => {
            const filter = {
              account_id: account.id,
              timestamp_max: (BigInt(time) - 1n).toString(),
              flags: ['debits', 'credits', 'reversed'],
              limit: 1,
            };
            return (await askLedger(at, 'get_account_balances', filter)).result[0];
          },
        },
        span,
      );
    },
    staleTime: 30_000,
  });

export const transferQuery = (at: LedgerAddress, id: string) =>
  queryOptions({
    queryKey: [...ledgerKey(at), 'transfer', id],
    queryFn: async ({ signal }): Promise<Transfer> => {
      const answer = await askLedger({ ...at, signal }, 'lookup_transfers', { ids: [id] });
      const [transfer] = answer.result;
      if (transfer === undefined) {
        throw new NotThere(`There is no transfer ${id} in this database.`);
      }
      return transfer;
    },
  });

/** Longest chain: the events of a request. */
const chainMax = BigInt(rowsMax);
/** Rows beside a transfer that are read first: chains are short. */
const near = 64;

/** The chain of a transfer. Its rows are neighbours, a nanosecond apart. */
export const chainQuery = (address: LedgerAddress, transfer: Transfer) =>
  queryOptions({
    queryKey: [...ledgerKey(address), 'chain', transfer.id],
    queryFn: async ({ signal }): Promise<readonly Transfer[]> => {
      const at = { ...address, signal };
      const time = BigInt(transfer.timestamp);
      const read = async (limit: number) => {
        const before = {
          limit,
          timestamp_min: (time > chainMax ? time - chainMax : 1n).toString(),
          timestamp_max: (time - 1n).toString(),
          flags: ['reversed'],
        };
        const behind = {
          limit,
          timestamp_min: transfer.timestamp,
          timestamp_max: (time + chainMax).toString(),
        };
        const [a, b] = await Promise.all([
          askLedger(at, 'query_transfers', before),
          askLedger(at, 'query_transfers', behind),
        ]);
        return chainOf([...a.result, ...b.result], transfer);
      };
      const chain = await read(near);
      return chain.length < near ? chain : read(rowsMax);
    },
    staleTime: Infinity,
  });

/** The life of a pending transfer. */
export const pendingQuery = (address: LedgerAddress, pending: Transfer) =>
  queryOptions({
    queryKey: [...ledgerKey(address), 'pending', pending.id],
    enabled: isTransfer(pending.flags, 'pending'),
    queryFn: async ({ signal }): Promise<PendingLife> => {
      const filter = {
        account_id: pending.debit_account_id,
        timestamp_min: (BigInt(pending.timestamp) + 1n).toString(),
        flags: ['debits'],
      };
      const all = await askAllPages({ ...address, signal }, 'get_account_transfers', filter, {
        pagesMax: pendingPagesMax,
        isEnough: (rows) => rows.some(({ pending_id: id }) => id === pending.id),
      });
      const now = BigInt(serverNow().getTime()) * 1_000_000n;
      return lifeOf(pending, { later: all.rows, isWhole: all.isWhole }, now);
    },
  });
const pendingPagesMax = 4;

const triesMax = 3;

export interface TrialAnswer extends Trial {
  /** The ledger changed while its pages were read, so the sums mix several instants. */
  readonly isBlurred: boolean;
}

/**
 * The trial balance. One page shows one instant of the ledger; several pages may not, and are read again if they do not fit.
 */
export const trialQuery = (
  address: LedgerAddress,
  ledger: string,
  onRows: (count: number) => void,
) =>
  queryOptions({
    queryKey: [...ledgerKey(address), 'trial', ledger],
    queryFn: async ({ signal }): Promise<TrialAnswer> => {
      for (let tries = 1; ; tries += 1) {
        const filter = { ledger };
        const limits = { pagesMax, onRows };
        const all = await askAllPages({ ...address, signal }, 'query_accounts', filter, limits);
        if (!all.isWhole) throw tooMany('accounts in this ledger');
        const trial = trialOf(all.rows);
        const isOnePage = all.rows.length <= rowsMax;
        if (trial.isEven || isOnePage || tries === triesMax) {
          return { ...trial, isBlurred: !trial.isEven && !isOnePage };
        }
      }
    },
    staleTime: 30_000,
  });

/** The ledger of the oldest account: a page shows it until somebody chooses one. */
export const firstLedgerQuery = (at: LedgerAddress) =>
  queryOptions({
    queryKey: [...ledgerKey(at), 'first'],
    queryFn: async ({ signal }): Promise<string> =>
      (
        await askLedger({ ...at, signal }, 'query_accounts', { limit: 1 })
      ).result[0]?.ledger.toString() ?? '',
  });
