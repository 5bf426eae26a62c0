import { parseLedgerState, ledgerStateText } from '../../../domain/import-files/ledger-state.ts';
import { ArchiveError } from '../../archive/errors.ts';
import { forgetMember } from '../../members/own-member.ts';
import { newLedger } from '../../replica/new-ledger.ts';
import type { ImportedRows } from '../../rows/import-rows.ts';
import { makeReplicaFile } from '../../rows/make-data-files.ts';
import { stagedRowFiles } from '../../rows/staged-rows.ts';
import { ledgerMemoryLimit } from '../../../domain/ledger-memory.ts';
import { containerMemory } from '../../../base/container-memory.ts';
import { engineRelease } from '../../wire/release.ts';
import { identityFlags, readIdentity } from '../identity.ts';
import { withStore } from '../backup/store-flags.ts';
import { required } from '../values.ts';
import { UsageError, type Verb } from '../verb.ts';
import { rowsProblem } from './rows-problem.ts';
import { readStaged, stagedFlags } from './staged-flags.ts';

const noRoom =
  'The volume has no room left: while rows are imported it needs room for the ledger twice. Make the database again, with more storage.';

export const restoreRows: Verb = {
  name: 'restore-rows',
  summary:
    "Make a replica's data file of accounts and transfers in a bucket that were tried before, executing all of them again. Refuses another result than the trial's, and to overwrite.",
  arguments: ['path'],
  flags: [
    ...stagedFlags,
    { name: 'state', value: 'op/hash', help: 'the state that the trial came to' },
    ...identityFlags,
  ],
  async run(input) {
    const [to = ''] = input.arguments;
    const { staged, now, ignoresBalances } = readStaged(input);
    const identity = readIdentity(input);
    const text = required(input.flag('state'), 'state');
    const state = parseLedgerState(text);
    if (state === undefined)
      throw new UsageError(`--state is "${text}"; it must be an op and 32 hexadecimal digits`);
    const ledger = newLedger(ledgerMemoryLimit(containerMemory()));
    const requireRight = ({ report, op }: ImportedRows): void => {
      const stateHash = Buffer.from(ledger.stateHash()).toString('hex');
      if (report.count === 0 && op === state.op && stateHash === state.stateHash) return;
      const found = report.lines()[0] ?? `its state is ${ledgerStateText({ op, stateHash })}`;
      const what = `the rows have another result than in their trial (${text}): ${found}. Upload both files again, in another import.`;
      throw new ArchiveError('import_differs', `${staged.importId}: ${what}`);
    };
    const { op } = await withStore(input, (store) =>
      makeReplicaFile({
        files: stagedRowFiles(store, staged),
        now,
        ignoresBalances,
        ledger,
        release: engineRelease,
        working: `${to}.working`,
        to,
        identity,
        requireRight,
      }).catch((error: unknown) => {
        throw rowsProblem(error, noRoom);
      }),
    );
    await forgetMember(to);
    const { clusterId, replicaIndex, replicaCount } = identity;
    process.stderr.write(
      `imported ${to}: cluster=${clusterId} replica=${replicaIndex} replica-count=${replicaCount} op=${op}\n`,
    );
    return 0;
  },
};
