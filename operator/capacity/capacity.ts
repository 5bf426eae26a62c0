/** How much of their limits a database's engines have used: one word, and a sentence that changes only in steps. Pure. */
import type { ArchiveStatus } from '../../domain/archive-status.ts';
import { EngineWarning, type EngineStatus, type Usage } from '../../domain/engine-status.ts';
import type { ReasonOf } from '../../domain/conditions.ts';
import { podName } from '../../domain/names.ts';
import type { Polls } from '../ledgerdatabase/observation.ts';
import type { Integrity } from './integrity.ts';

export interface Capacity {
  readonly reason: Exclude<ReasonOf<'CapacityLeft'>, 'NotKnown'>;
  readonly message: string;
  /**
   * Storage of the fullest replica: the part in use, from 0 to 1, and the time of that report, in milliseconds since the UNIX
   * epoch.
   */
  readonly storage?: { readonly usedPart: number; readonly atMs: number } | undefined;
  /** Whether data files are damaged; absent if no replica that verifies its file has answered. */
  readonly integrity?: Integrity | undefined;
  /** How continuous archiving stands, if there is an archiver. */
  readonly archive?: ArchiveStatus | undefined;
}

type Limit = 'memory' | 'records' | 'storage';
interface Finding {
  readonly level: 0 | 1 | 2;
  readonly limit: Limit;
  readonly index: number;
  readonly usage: Usage | undefined;
}

const levels: Readonly<Partial<Record<EngineWarning, readonly [Limit, 1 | 2]>>> = {
  [EngineWarning.memoryNearLimit]: ['memory', 1],
  [EngineWarning.storageNearLimit]: ['storage', 1],
  [EngineWarning.memoryAtLimit]: ['memory', 2],
  [EngineWarning.recordsAtLimit]: ['records', 2],
  [EngineWarning.storageFull]: ['storage', 2],
};

const cures: Readonly<Record<Limit, string>> = {
  memory: 'choose a larger spec.size',
  records: 'write new records to another database',
  storage: 'raise spec.storage.sizeGb',
};

/** Capacity of the worst replica; `undefined` when no engine answered. */
export function capacityOf(workload: string, polls: Polls): Capacity | undefined {
  const said = [...polls].flatMap(([index, poll]) => ('problem' in poll ? [] : [{ index, poll }]));
  if (said.length === 0) return undefined;
  const findings = said.flatMap(({ index, poll }) => findingsOf(index, poll));
  const [worst] = findings.sort((a, b) => b.level - a.level || partOf(b) - partOf(a));
  if (worst === undefined) return { reason: 'Enough', message: 'no limit is near' };
  const { level, limit, index } = worst;
  const pod = podName(workload, index);
  const used = `${limit} of ${pod}: ${wordsOf(worst)}`;
  return level === 2
    ? { reason: 'Full', message: `${used}; new records are refused. To go on, ${cures[limit]}` }
    : { reason: 'NearLimit', message: `${used}; before it is full, ${cures[limit]}` };
}

/** Storage of the fullest replica, as reported at `atMs`; `undefined` when no engine reported a limit. */
export function storageUse(polls: Polls, atMs: number): Capacity['storage'] {
  const told = [...polls.values()].flatMap((poll) => ('problem' in poll ? [] : [poll.storage]));
  const parts = told
    .filter(({ limitBytes }) => limitBytes > 0)
    .map(({ usedBytes, limitBytes }) => usedBytes / limitBytes);
  return parts.length === 0 ? undefined : { usedPart: Math.max(...parts), atMs };
}

const findingsOf = (index: number, status: EngineStatus): readonly Finding[] =>
  status.warnings.flatMap((warning) => {
    const row = levels[warning];
    if (row === undefined) return [];
    const [limit, level] = row;
    return [{ level, limit, index, usage: limit === 'records' ? undefined : status[limit] }];
  });

const partOf = ({ usage }: Finding): number =>
  usage === undefined || usage.limitBytes === 0 ? 0 : usage.usedBytes / usage.limitBytes;

/** Rounds to steps of two hundredths: a busy database changes its status only some five times on its way to full. */
function wordsOf(finding: Finding): string {
  const { limit, usage } = finding;
  if (limit === 'records') return 'the largest number of records that an engine can hold';
  if (usage === undefined) return 'the used amount is not reported';
  const percent = Math.floor(partOf(finding) * 50) * 2;
  const usedBytes = (usage.limitBytes * percent) / 100;
  return `${percent} % used, about ${sizeOf(usedBytes)} of ${sizeOf(usage.limitBytes)}`;
}

function sizeOf(bytes: number): string {
  const gib = bytes / 2 ** 30;
  return gib >= 1 ? `${gib.toFixed(1)} GiB` : `${Math.round(bytes / 2 ** 20)} MiB`;
}
