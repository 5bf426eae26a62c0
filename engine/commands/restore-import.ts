import { parseLedgerState, type LedgerState } from '../../domain/import-files/ledger-state.ts';
import { restoreImport } from '../archive/restore-import.ts';
import { forgetMember } from '../members/own-member.ts';
import { engineRelease } from '../wire/release.ts';
import { bucketFlags, withStore } from './backup/store-flags.ts';
import { identityFlags, readIdentity } from './identity.ts';
import { importFlag, importIdOf } from './rows/staged-flags.ts';
import { parseClusterId, required } from './values.ts';
import { UsageError, type Verb } from './verb.ts';

export const restoreFromImport: Verb = {
  name: 'restore-import',
  summary:
    "Make a replica's data file from exported files in a bucket, one for each replica, verifying all of it. Refuses to overwrite.",
  arguments: ['path'],
  flags: [
    ...bucketFlags,
    importFlag,
    { name: 'from-cluster', value: 'id', help: 'the cluster that the files were exported from' },
    {
      name: 'state',
      value: 'op/hash',
      help: 'the state with which an earlier replica of the database began; files of another one are refused',
    },
    ...identityFlags,
  ],
  async run(input) {
    const [to = ''] = input.arguments;
    const importId = importIdOf(input);
    const sourceCluster = parseClusterId(required(input.flag('from-cluster'), 'from-cluster'));
    const identity = readIdentity(input);
    const state = input.flag('state');
    const { op } = await withStore(input, (store) =>
      restoreImport({
        store,
        importId,
        sourceCluster,
        to,
        identity,
        ...(state === undefined ? {} : { state: readState(state) }),
        release: engineRelease,
        now: () => new Date(),
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

function readState(text: string): LedgerState {
  const state = parseLedgerState(text);
  if (state !== undefined) return state;
  throw new UsageError(
    `--state is "${text}"; it must be an op and 32 hexadecimal digits, with a slash between`,
  );
}
