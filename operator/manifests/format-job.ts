/** The Job that makes a replica's data file, once in its life. */
import { ledgerStateText } from '../../domain/import-files/ledger-state.ts';
import { formatJobName } from '../../domain/names.ts';
import type { Job } from '../../domain/kinds.ts';
import { adapterOf } from '../engines/adapters.ts';
import { etcdFolder } from '../engines/builtin-member.ts';
import { resourcesOf } from './container.ts';
import {
  bucketFlags,
  credentialsMount,
  storeFlags,
  type BackupStore,
} from '../store/backup-store.ts';
import { borrowerLabels, credentialsVolume } from '../store/lend.ts';
import { buildJob, type Making } from './job.ts';
import { Role } from './metadata.ts';
import { originFlags } from './origin-flags.ts';
import { rowsFlags } from './rows-flags.ts';
import { awayFrom, spread, type Place } from './pod.ts';
import type { Subject } from './subject.ts';

interface Format {
  readonly subject: Subject;
  readonly index: number;
  /** Places of the other replicas' volumes. */
  readonly taken?: readonly Place[];
  /** The built-in engine whose program fetches files of TigerBeetle; absent if there are none to fetch. */
  readonly program?: Subject['resolved']['engine'];
}

/**
 * If a volume waits for its first pod, this pod's node decides for ever where the volume is. So it may run only where the
 * replica could: it requests as much, and keeps as far from the others.
 */
export function buildFormatJob({ subject, index, taken = [], program }: Format): Job {
  const { cpuMillis, memoryMib } = adapterOf(subject.resolved.engine.name).requests(subject);
  const placement = spread(subject, Role.job);
  return buildJob({
    subject,
    index,
    name: formatJobName(subject.workload, index),
    ...(subject.reshapes === true ? contentOfReshaped(index) : contentOf(subject)),
    ...(program === undefined ? {} : { program }),
    resources: resourcesOf(cpuMillis, memoryMib),
    placement:
      placement.affinity === undefined
        ? placement
        : {
            ...placement,
            affinity: Object.assign({}, placement.affinity, awayFrom(subject, taken)),
          },
  });
}

/** Whether the data files are TigerBeetle's own, which are copied as they are. */
export const copiesFiles = ({ resolved, importedFrom, restoredFrom }: Subject): boolean =>
  resolved.engine.name === 'TigerBeetle' &&
  (importedFrom !== undefined || restoredFrom?.clusterId !== undefined);

/** Initial content of the file: nothing, a backup, an exported file, rows, or a copy of TigerBeetle's. */
function contentOf(subject: Subject): Pick<Making, 'verb' | 'volumes' | 'podLabels'> {
  const { store } = subject;
  const verb = store && verbWithStore(subject, store);
  if (store === undefined || verb === undefined) return { verb: ['format'] };
  return {
    verb,
    volumes: [{ volume: credentialsVolume(subject, store), mount: credentialsMount }],
    podLabels: borrowerLabels,
  };
}

/** The first replica's file is there, with the state that the others fetch once they run. */
const contentOfReshaped = (index: number): Pick<Making, 'verb' | 'inPlace'> =>
  index === 0
    ? { verb: ['reshape', `--member-folder=${etcdFolder}`], inPlace: true }
    : { verb: ['format', '--without-state'] };

/** The verb that makes a file from the store; `undefined` if the database begins empty. */
function verbWithStore(subject: Subject, store: BackupStore): readonly string[] | undefined {
  const { restoredFrom, importedFrom, resolved } = subject;
  if (copiesFiles(subject)) {
    const release = `--release=${resolved.engine.release ?? ''}`;
    if (importedFrom !== undefined) {
      const { importId } = importedFrom;
      return ['fetch-import', ...bucketFlags(store), `--import=${importId}`, release];
    }
    if (restoredFrom !== undefined) {
      const from = storeFlags(store, restoredFrom.databaseId);
      return ['restore-file', ...from, ...originFlags(restoredFrom), release];
    }
  }
  // A cluster of TigerBeetle that begins with a backup begins empty, and is filled once it runs.
  if (resolved.engine.name !== 'Builtin') return undefined;
  if (restoredFrom !== undefined) {
    const from = storeFlags(store, restoredFrom.databaseId);
    return ['restore-backup', ...from, ...originFlags(restoredFrom)];
  }
  if (importedFrom === undefined) return undefined;
  const { importId, clusterId, rows, state } = importedFrom;
  if (rows !== undefined) {
    const which = [`--import=${importId}`, ...rowsFlags(rows), `--state=${rows.state}`];
    return ['restore-rows', ...bucketFlags(store), ...which];
  }
  const from = [
    `--import=${importId}`,
    `--from-cluster=${clusterId}`,
    ...(state === undefined ? [] : [`--state=${ledgerStateText(state)}`]),
  ];
  return ['restore-import', ...bucketFlags(store), ...from];
}
