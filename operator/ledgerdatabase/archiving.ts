/** The condition of a database's continuous archiving, and whether its log lacks a backup. Pure. */
import { archiveStates, type ArchiveStatus } from '../../domain/archive-status.ts';
import { conditionReasons, type ReasonOf } from '../../domain/conditions.ts';
import type { Condition } from '../../domain/custom-resources.ts';
import { stateOf } from '../ledgerbackup/states.ts';
import type { Plan } from './draft.ts';
import type { Observation, Polls } from './observation.ts';

type Verdict = readonly [Condition['status'], ReasonOf<'ContinuousArchiving'>, string];

/** Report of the engine whose log is archived; `undefined` if no engine with an archiver answered. */
export function archiveOf(polls: Polls): ArchiveStatus | undefined {
  const said = [...polls.values()].flatMap((poll) =>
    'problem' in poll || poll.archive === undefined ? [] : [poll.archive],
  );
  return said.find(({ leads }) => leads) ?? said[0];
}

export function continuousArchiving(observed: Observation, plan: Plan): Verdict {
  const { spec } = observed.database;
  if (spec.backup?.continuous?.enabled !== true)
    return ['Unknown', 'NotEnabled', 'spec.backup.continuous.enabled is not true'];
  const { engine } = plan.facts.resolved ?? {};
  if (engine === undefined) return notKnown;
  if (engine.name !== 'Builtin') {
    return ['False', 'NotSupported', 'the log of the built-in engine alone is archived'];
  }
  if (plan.subject !== undefined && plan.subject.archiving === undefined) {
    return [
      'False',
      'StoreNotConfigured',
      'the operator knows no bucket for backups: set backups.store of its chart',
    ];
  }
  const archive = observed.capacity?.archive;
  return archive === undefined ? asTold(observed) : verdictOf(observed, archive);
}

const notKnown: Verdict = ['Unknown', 'NotKnown', 'no engine has been asked yet'];

/** Uses the last known state while engines are silent, and while a new operator begins to ask them. */
function asTold({ database }: Observation): Verdict {
  const told = database.status?.conditions?.find(({ type }) => type === 'ContinuousArchiving');
  const reason = archiveStates.find((one) => one === told?.reason);
  return told === undefined || reason === undefined
    ? notKnown
    : [told.status, reason, told.message];
}

function verdictOf(observed: Observation, archive: ArchiveStatus): Verdict {
  const { state, message } = archive;
  switch (state) {
    case 'Starting':
      return ['Unknown', 'Starting', 'the archiver has not reported yet'];
    case 'ArchiverAway':
      return [
        'False',
        'ArchiverAway',
        'the archiver has not been heard for a minute: look at the container archive',
      ];
    case 'Archiving':
    case 'CatchingUp': {
      const lacking = opWithoutBackup(observed);
      if (lacking !== undefined) {
        return [
          'False',
          'ArchiveGap',
          `the log from operation ${lacking} on follows a gap and no backup: it can be restored once a backup has succeeded`,
        ];
      }
      return state === 'Archiving'
        ? ['True', state, `the log is in the bucket, up to the promised seconds${costOf(archive)}`]
        : ['True', state, `segments wait for the store, which takes them${costOf(archive)}`];
    }
    case 'StoreUnreachable':
    case 'StoreRefused':
    case 'StoreFull':
    case 'StoreOverwrites':
    case 'KeyMissing':
    case 'ArchiveForeign':
    case 'ArchiveDamaged':
    default:
      return ['False', state, message ?? 'the log cannot be archived'];
  }
}

/** An archiver reads the log by itself. Where it cannot, nothing is lost, but the engine has less time for its clients. */
const costOf = ({ reads, readsWhy = 'it gives no reason' }: ArchiveStatus): string =>
  reads === 'Engine'
    ? `; the engine reads the log for the archiver, which takes a part of its speed: ${readsWhy}`
    : '';

/**
 * First op of the log that is being archived, if no backup is in that run of operations: nothing of it can be restored. A
 * log that begins with the database's first operation needs none.
 */
export function opWithoutBackup({ capacity, backups }: Observation): number | undefined {
  const firstOp = capacity?.archive?.chainFirstOp;
  if (firstOp === undefined || firstOp === 1) return undefined;
  const hasBase = backups?.backups.some(
    (one) => stateOf(one) === 'succeeded' && (one.status?.op ?? 0) >= firstOp - 1,
  );
  return hasBase === true ? undefined : firstOp;
}

/** Whether a new answer of the engine changes what the condition says. */
export function isArchivingNews(
  told: Condition | undefined,
  before: ArchiveStatus | undefined,
  now: ArchiveStatus | undefined,
): boolean {
  if (now === undefined) return false;
  const known = conditionReasons.ContinuousArchiving.find((one) => one === told?.reason);
  const isSame = known === now.state || (known === 'ArchiveGap' && now.state === 'Archiving');
  if (!isSame || now.reads !== before?.reads) return true;
  return before !== undefined && before.chainFirstOp !== now.chainFirstOp;
}
