/** The parts of the original ledger that a restored database lacks. Service and dashboard list them before the restore. */
interface Restoration {
  /** Engine of the database whose ledger it is, and of the new one. */
  readonly from: string;
  readonly to: string;
  readonly dropTimeouts: boolean;
  /** Whether it begins with data files. */
  readonly files?: boolean;
}

export function restoreWarnings({ from, to, dropTimeouts, files = false }: Restoration): string[] {
  if (files) {
    return [
      'It has the cluster ID of the original database: clients cannot tell them apart by it. Leave the original suspended, or delete it.',
    ];
  }
  if (to === 'TigerBeetle') {
    return [
      'All rows are imported ones: a client that repeats an old transfer is told exists_with_different_flags, not exists.',
      dropTimeouts
        ? 'Open pending transfers lose their timeouts and never expire: post or void them.'
        : 'Imported transfers have no timeouts. If pending transfers with a timeout are open in the ledger, the job fails before anything is formatted, unless dropTimeouts is true.',
      'A pending transfer that had expired shows as voided at that moment, by a transfer with a made-up ID.',
      'IDs of transfers that failed for good are free again, and sessions of clients are not there.',
      'It is filled row by row and compared, and serves nobody until then.',
    ];
  }
  return from === 'Builtin'
    ? []
    : [
        'IDs of transfers that failed for good are free again, and sessions of clients are not there.',
      ];
}
