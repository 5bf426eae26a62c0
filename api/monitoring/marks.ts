/** Marks derived from two answers of a replica, and from changes of the leader. */
import { ReplicaRole } from '../../domain/engine-status.ts';
import type { ReplicaMark } from '../store/metric-marks.ts';
import type { ReplicaAnswer } from './replica-reading.ts';

/** `now` and `before`: answers of the database's replicas by index; a silent one has none. */
export function marksOf(
  databaseId: string,
  at: Date,
  now: ReadonlyMap<number, ReplicaAnswer>,
  before: ReadonlyMap<number, ReplicaAnswer>,
  lastLeader: number | undefined,
): readonly ReplicaMark[] {
  const marks: ReplicaMark[] = [];
  const mark = (kind: ReplicaMark['kind'], replica: number | null, detail: string) =>
    marks.push({ databaseId, at, kind, replica, detail });
  for (const [index, answer] of now) {
    const earlier = before.get(index);
    if (earlier === undefined) continue;
    const { version } = answer.status;
    if (version !== earlier.status.version) {
      mark(
        'UPGRADE',
        index,
        `Replica ${index} runs ${version}; before, ${earlier.status.version}.`,
      );
    } else if (beganAgain(answer, earlier)) {
      mark('RESTART', index, `Replica ${index} was started again.`);
    }
  }
  const leader = leaderOf(now);
  if (leader !== undefined && lastLeader !== undefined && leader !== lastLeader) {
    mark('FAILOVER', leader, `Replica ${leader} leads; before, replica ${lastLeader} did.`);
  }
  return marks;
}

/** The leading replica, by the newest view: a replica that was cut off may still believe that it leads. */
export function leaderOf(answers: ReadonlyMap<number, ReplicaAnswer>): number | undefined {
  const leaders = [...answers].filter(([, { status }]) => status.role === ReplicaRole.primary);
  leaders.sort(([, one], [, other]) => other.status.view - one.status.view);
  return leaders[0]?.[0];
}

const beganAgain = (now: ReplicaAnswer, before: ReplicaAnswer): boolean =>
  now.startedAtSeconds !== before.startedAtSeconds;
