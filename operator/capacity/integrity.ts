/** Whether the data files of a database's replicas are damaged, and what was mended of them: one word, and a sentence. Pure. */
import type { ReasonOf } from '../../domain/conditions.ts';
import type { Condition } from '../../domain/custom-resources.ts';
import { EngineWarning } from '../../domain/engine-status.ts';
import { podName } from '../../domain/names.ts';
import type { Polls } from '../ledgerdatabase/observation.ts';

interface DataFile {
  readonly isDamaged: boolean;
  readonly mendedPages: number;
}

export interface Integrity {
  readonly reason: Exclude<ReasonOf<'DataIntact'>, 'NotKnown'>;
  readonly message: string;
  /** Last report of each replica, by index; one that does not answer now may still be damaged. */
  readonly files: ReadonlyMap<number, DataFile>;
}

interface Known {
  readonly before?: Integrity | undefined;
  /** The condition: what an earlier process of the operator knew. */
  readonly told?: Pick<Condition, 'reason' | 'message'> | undefined;
}

/** Reports of replicas about their files; for replicas that do not answer now, those of `before`. `undefined` if none verifies its file. */
export function integrityOf(
  workload: string,
  polls: Polls,
  { before, told }: Known = {},
): Integrity | undefined {
  const files = new Map(before?.files);
  let replicas = 0;
  for (const [index, poll] of polls) {
    if ('problem' in poll || poll.mendedPages === undefined) continue;
    const { mendedPages, warnings, replicaCount } = poll;
    replicas = Math.max(replicas, replicaCount);
    files.set(index, { isDamaged: warnings.includes(EngineWarning.dataDamaged), mendedPages });
  }
  // A database with fewer replicas than before has no such files any more.
  if (replicas > 0) for (const index of files.keys()) if (index >= replicas) files.delete(index);
  if (files.size === 0) return undefined;
  const rows = [...files].sort(([a], [b]) => a - b);
  const damaged = rows.filter(([, { isDamaged }]) => isDamaged);
  if (damaged.length > 0) {
    const pods = damaged.map(([index]) => podName(workload, index)).join(', ');
    const message = `the data file of ${pods} is damaged, and neither memory nor another replica has what was there; the log of the engine says where, and docs/operating/failure-and-recovery.md what to do`;
    return { reason: 'Damaged', message, files };
  }
  const earlier = before ?? told;
  const wasHeard = [...(before?.files.values() ?? [])].some(({ isDamaged }) => isDamaged);
  // The damaged one may be a replica that this process has not heard yet.
  if (earlier?.reason === 'Damaged' && !wasHeard && files.size < replicas)
    return { reason: 'Damaged', message: earlier.message, files };
  const mended = rows.filter(([, { mendedPages }]) => mendedPages > 0);
  if (mended.length === 0) return { reason: 'Intact', message: 'no damage is known', files };
  const counts = mended.map(
    ([index, { mendedPages: pages }]) =>
      `${podName(workload, index)} has mended ${pages === 1 ? 'a page' : `${pages} pages`}`,
  );
  const message = `${counts.join(', ')} of its data file since it started; look at its disk if that goes on`;
  return { reason: 'Mended', message, files };
}
