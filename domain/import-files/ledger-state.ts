/** The state with which a data file begins, in the one form that engines, agents and the operator exchange. */

export interface LedgerState {
  /** The last operation in the file. */
  readonly op: number;
  /** Hash of the ledger after it, in hex. */
  readonly stateHash: string;
}

/** `OP/HASH`. */
export const ledgerStateText = ({ op, stateHash }: LedgerState): string => `${op}/${stateHash}`;

export function parseLedgerState(text: string): LedgerState | undefined {
  const [, digits, stateHash] = /^(\d{1,16})\/([0-9a-f]{32})$/.exec(text) ?? [];
  const op = Number(digits);
  return stateHash === undefined || !Number.isSafeInteger(op) ? undefined : { op, stateHash };
}
