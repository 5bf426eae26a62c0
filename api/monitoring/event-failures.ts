/** Places of a row's failures: the ways in which an event that was to be created failed. */
import { AccountStatus, TransferStatus } from '../../engine/wire/statuses.ts';

export interface EventFailure {
  readonly operation: 'create_accounts' | 'create_transfers';
  readonly status: string;
  /** Its index in a row's failures. */
  readonly place: number;
}

/** Codes on the wire stay, so that places do, too. There is room for as many failures of accounts. */
const accountFailuresMax = 32;

const failuresOf = (
  operation: EventFailure['operation'],
  statuses: Readonly<Record<string, number>>,
  begin: number,
): readonly EventFailure[] =>
  Object.entries(statuses)
    .filter(([, code]) => code > 0)
    .map(([status, code]) => ({ operation, status, place: begin + code - 1 }));

export const eventFailures: readonly EventFailure[] = [
  ...failuresOf('create_accounts', AccountStatus, 0),
  ...failuresOf('create_transfers', TransferStatus, accountFailuresMax),
];
