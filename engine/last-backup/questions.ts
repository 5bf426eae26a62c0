/** Questions to a replica from the program that makes the last backup, over the peer link, and their answers: JSON both ways. */
import { fieldsOf } from '../members/questions.ts';

/** Longest pause that may be asked for: a day. */
export const PAUSE_MS_MAX = 86_400_000;

export type LastBackupQuestion =
  /** Asks the leader to take no writes for so long. */
  | { readonly ask: 'pause'; readonly milliseconds: number }
  /** Asks a replica to write everything that it has executed into its data file. */
  | { readonly ask: 'checkpoint' };

/**
 * - `paused`: nothing that changes the ledger follows that op before the pause ends; the state hash is the ledger's.
 * - `not_leading`: ask another replica.
 * - `wait`: not now; ask again.
 */
export type PauseAnswer =
  | Paused
  | { readonly outcome: 'not_leading' }
  | { readonly outcome: 'wait'; readonly reason: string };

export interface Paused {
  readonly outcome: 'paused';
  readonly op: number;
  readonly stateHash: string;
}

/** Op that the newest checkpoint contains. */
export interface CheckpointAnswer {
  readonly op: number;
}

export function lastBackupQuestionOf(json: unknown): LastBackupQuestion | undefined {
  const { ask, milliseconds } = fieldsOf(json);
  if (ask === 'checkpoint') return { ask };
  if (ask !== 'pause' || typeof milliseconds !== 'number') return undefined;
  const isLength = Number.isInteger(milliseconds) && milliseconds > 0;
  return isLength && milliseconds <= PAUSE_MS_MAX ? { ask, milliseconds } : undefined;
}

export function pauseAnswerOf(json: unknown): PauseAnswer | undefined {
  const { outcome, reason, stateHash } = fieldsOf(json);
  if (outcome === 'not_leading') return { outcome };
  if (outcome === 'wait' && typeof reason === 'string') return { outcome, reason };
  const op = opOf(json);
  const isWhole = outcome === 'paused' && typeof stateHash === 'string' && op !== undefined;
  return isWhole ? { outcome, op, stateHash } : undefined;
}

export function opOf(json: unknown): number | undefined {
  const { op } = fieldsOf(json);
  return typeof op === 'number' && Number.isSafeInteger(op) && op >= 0 ? op : undefined;
}
