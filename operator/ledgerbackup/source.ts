/** Chooses the replica of a database to back up, and first brings its data file up to date. */
import { ports } from '../../domain/names.ts';
import type { LedgerDatabase } from '../../domain/custom-resources.ts';
import type { Pod } from '../../domain/kinds.ts';
import type { FileState } from './backup-job.ts';

/**
 * Asks a replica to write everything that it has executed into its data file. Returns the JSON of the answer. Tests replace it.
 */
export type AskForCheckpoint = (url: string, signal: AbortSignal) => Promise<unknown>;

export const askForCheckpoint: AskForCheckpoint = async (url, signal) => {
  const response = await fetch(url, { method: 'POST', signal, redirect: 'error' });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text.trim().slice(0, 200)}`);
  return JSON.parse(text) as unknown;
};

export interface Source {
  readonly replica: number;
  readonly file: FileState;
}

/** A checkpoint writes at most some hundred MiB. */
const CHECKPOINT_TIMEOUT_MS = 60_000;

/** Returns the source, or the reason why there is none now. */
export async function chooseSource(
  database: LedgerDatabase,
  pods: readonly Pod[],
  ask: AskForCheckpoint,
): Promise<Source | { readonly problem: string }> {
  const { members = [], conditions = [], resolved } = database.status ?? {};
  const suspended = conditions.some(
    ({ type, status }) => type === 'Suspended' && status === 'True',
  );
  // A single replica that is deleted with its volumes is stopped first (ledgerdatabase/steps/final-backup.ts).
  const ends = database.metadata.deletionTimestamp !== undefined;
  if ((suspended || ends) && pods.length === 0) {
    if (resolved?.topology?.replicas === 1) return { replica: 0, file: { kind: 'stopped' } };
    // A replica's file may be far behind, or marked as lost: it lacks the others' data.
    return {
      problem: 'its replicas are stopped, and only one that runs knows that it has everything',
    };
  }
  // Followers first: the leader has the most to do.
  const ready = members.filter(({ state }) => state === 'Ready');
  const chosen = ready.find(({ role }) => role !== 'primary') ?? ready[0];
  if (chosen === undefined) return { problem: 'no replica is ready' };
  const ip = pods.find(({ metadata }) => metadata.name === chosen.pod)?.status?.podIP;
  if (ip === undefined) return { problem: `pod ${chosen.pod} has no address yet` };
  const host = ip.includes(':') ? `[${ip}]` : ip;
  try {
    const url = `http://${host}:${ports.status}/checkpoint`;
    const answer = await ask(url, AbortSignal.timeout(CHECKPOINT_TIMEOUT_MS));
    const op = (answer as { readonly op?: unknown } | null)?.op;
    if (typeof op !== 'number' || !Number.isSafeInteger(op) || op < 0) throw new Error('no op');
    return { replica: chosen.index, file: { kind: 'running', op } };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { problem: `replica ${chosen.index} took no checkpoint: ${words}` };
  }
}
