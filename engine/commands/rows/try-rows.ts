import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { rowsReportKey } from '../../../domain/import-files/staged-key.ts';
import { ledgerStateText } from '../../../domain/import-files/ledger-state.ts';
import { newLedger } from '../../replica/new-ledger.ts';
import { makeDataFiles } from '../../rows/make-data-files.ts';
import type { ImportedRows } from '../../rows/import-rows.ts';
import { stagedRowFiles } from '../../rows/staged-rows.ts';
import { ledgerMemoryLimit } from '../../../domain/ledger-memory.ts';
import { containerMemory } from '../../../base/container-memory.ts';
import { engineRelease, formatRelease } from '../../wire/release.ts';
import { resultFlag, tellResult } from '../backup/result.ts';
import { withStore } from '../backup/store-flags.ts';
import { parseSize } from '../values.ts';
import type { Verb } from '../verb.ts';
import { rowsProblem } from './rows-problem.ts';
import { readStaged, stagedFlags } from './staged-flags.ts';

const noRoom =
  'The ledger of these files needs more room than a trial has. Import fewer rows, or make data files yourself with ledger-engine import-rows and import those.';

export const tryRows: Verb = {
  name: 'try-rows',
  summary:
    'Try accounts and transfers in a bucket: execute all of them on an empty ledger that is thrown away, and put a report by line beside them.',
  arguments: ['folder'],
  flags: [
    ...stagedFlags,
    { name: 'room', value: 'bytes', help: 'how much the ledger may take in the folder' },
    resultFlag,
  ],
  run(input) {
    const [folder = ''] = input.arguments;
    return tellResult(input, async () => {
      const { staged, now, ignoresBalances } = readStaged(input);
      const room = input.flag('room');
      const ledger = newLedger(ledgerMemoryLimit(containerMemory()));
      return withStore(input, async (store) => {
        const made = await makeDataFiles({
          files: stagedRowFiles(store, staged),
          now,
          ignoresBalances,
          ledger,
          clusterId: 0n,
          release: engineRelease,
          to: [],
          ...(room === undefined ? {} : { roomBytes: parseSize('room', room) }),
          working: join(folder, `try-rows-${randomBytes(6).toString('hex')}.working`),
        }).catch((error: unknown) => {
          throw rowsProblem(error, noRoom);
        });
        const stateHash = Buffer.from(ledger.stateHash()).toString('hex');
        const state = ledgerStateText({ op: made.op, stateHash });
        const report = reportOf(made, state);
        // Tried again, for instance because its pod was lost, the same files have the same report.
        await store.create(rowsReportKey(staged.importId), Buffer.from(JSON.stringify(report)));
        const { faults: _, ...result } = report;
        return result;
      });
    });
  },
};

/** The report as the API reads it (api/imports/rows-report.ts). */
const reportOf = ({ report, counts, op, timestamp }: ImportedRows, state: string) => ({
  release: formatRelease(engineRelease),
  accounts: counts.accounts,
  transfers: counts.transfers,
  faultCount: report.count,
  faults: report.faults,
  ...(report.count === 0 && { op, timestamp: String(timestamp), state }),
});
