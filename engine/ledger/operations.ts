/** The operations that the state machine runs, by code: what they read, what they answer, how they are framed. */

export const Pulse = 128;

export const Framing = {
  /** One batch, no trailer. */
  raw: 0,
  /** Any number of batches, counted in a trailer. */
  multiBatch: 1,
} as const;
export type Framing = (typeof Framing)[keyof typeof Framing];

export const Action = {
  createAccounts: 0,
  createTransfers: 1,
  lookupAccounts: 2,
  lookupTransfers: 3,
  getAccountTransfers: 4,
  getAccountBalances: 5,
  queryAccounts: 6,
  queryTransfers: 7,
  getChangeEvents: 8,
} as const;
export type Action = (typeof Action)[keyof typeof Action];

export interface Operation {
  readonly action: Action;
  readonly framing: Framing;
  readonly eventBytes: number;
  readonly resultBytes: number;
  /** Results: only what failed, as (index, status). Clients before 0.17. */
  readonly isSparse: boolean;
}

function operation(
  action: Action,
  framing: Framing,
  eventBytes: number,
  resultBytes: number,
): Operation {
  return { action, framing, eventBytes, resultBytes, isSparse: resultBytes === 8 };
}

const { raw, multiBatch } = Framing;

export const operations: ReadonlyMap<number, Operation> = new Map([
  [129, operation(Action.createAccounts, raw, 128, 8)],
  [130, operation(Action.createTransfers, raw, 128, 8)],
  [131, operation(Action.lookupAccounts, raw, 16, 128)],
  [132, operation(Action.lookupTransfers, raw, 16, 128)],
  [133, operation(Action.getAccountTransfers, raw, 128, 128)],
  [134, operation(Action.getAccountBalances, raw, 128, 128)],
  [135, operation(Action.queryAccounts, raw, 64, 128)],
  [136, operation(Action.queryTransfers, raw, 64, 128)],
  [137, operation(Action.getChangeEvents, raw, 64, 384)],
  [138, operation(Action.createAccounts, multiBatch, 128, 8)],
  [139, operation(Action.createTransfers, multiBatch, 128, 8)],
  [140, operation(Action.lookupAccounts, multiBatch, 16, 128)],
  [141, operation(Action.lookupTransfers, multiBatch, 16, 128)],
  [142, operation(Action.getAccountTransfers, multiBatch, 128, 128)],
  [143, operation(Action.getAccountBalances, multiBatch, 128, 128)],
  [144, operation(Action.queryAccounts, multiBatch, 64, 128)],
  [145, operation(Action.queryTransfers, multiBatch, 64, 128)],
  [146, operation(Action.createAccounts, multiBatch, 128, 16)],
  [147, operation(Action.createTransfers, multiBatch, 128, 16)],
]);
