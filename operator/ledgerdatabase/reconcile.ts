/**
 * Brings one database a step nearer to its spec: observes, plans, records decisions, acts, and writes the status. It reads
 * the caches while no work is left, and the API server before any write that destroys something or happens only once.
 */
import type { Logger } from 'pino';
import { uidOf } from '../../domain/names.ts';
import type { Key, Outcome } from '../runtime/controller.ts';
import type { Environment } from './environment.ts';
import { planned, type Planned } from './planned.ts';
import { decides, outcomeOf, Session } from './session.ts';
import { sameMeaning, statusOf } from './status.ts';

export async function reconcileDatabase(
  environment: Environment,
  key: Key,
  logger: Logger,
): Promise<Outcome> {
  const cached = environment.caches.databases.get(key.namespace, key.name);
  if (cached === undefined) return {};
  const first = await planned(environment, cached);
  if (isSettled(first)) return outcomeOf(first.draft);
  const waitMs = statusWaitMs(environment, first);
  if (waitMs > 0) return { requeueAfterMs: Math.min(waitMs, first.draft.requeueAfterMs ?? waitMs) };
  return new Session(environment, cached, logger).run(first);
}

/** Time that the status must wait if nothing else is to be written. */
function statusWaitMs({ pace, nowMs }: Environment, now: Planned): number {
  const { observed, draft } = now;
  const { database } = observed;
  if (draft.actions.length > 0 || decides(now)) return 0;
  return pace.waitMs(uidOf(database), nowMs(), database.status, statusOf(observed, draft));
}

const isSettled = ({ observed, draft }: Planned): boolean =>
  draft.actions.length === 0 && sameMeaning(statusOf(observed, draft), observed.database.status);
