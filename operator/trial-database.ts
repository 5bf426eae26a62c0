/**
 * Checks that a database could be created here: makes the smallest one, waits until it is ready, deletes it, and waits until it is
 * gone. It is deleted with its volume whatever happens in between.
 */
import { apiVersion, type DatabaseObject } from '../domain/custom-resources.ts';
import { resources } from '../domain/kinds.ts';
import { ApiError, type Kube, type Reference } from '../base/kube/kube.ts';
import { sleep, type Timers } from '../base/timers.ts';

interface CheckOptions {
  readonly kube: Kube;
  readonly namespace: string;
  /** Name of the database. An existing database of that name is left alone, and the check fails. */
  readonly name: string;
  /** Timeout for becoming ready, and again for the deletion. */
  readonly timeoutMs: number;
  readonly timers: Timers;
  /** Called with each step, and with each change of the database's state. */
  readonly report: (words: string) => void;
  /** Ends the wait for readiness; the database is deleted nevertheless. */
  readonly signal: AbortSignal;
}

/** No database could be made. The message says what to do. */
class CheckFailed extends Error {
  override readonly name = 'CheckFailed';
}

const lookEveryMs = 500;
const fieldManager = 'ledgerhouse-check';

export async function checkInstallation(options: CheckOptions): Promise<void> {
  const { kube, namespace, name, timers, report } = options;
  const startedAtMs = timers.nowMs();
  const made = await makeDatabase(options);
  report(`made LedgerDatabase ${namespace}/${name}`);
  try {
    await untilReady(options);
    report(`ready after ${Math.round((timers.nowMs() - startedAtMs) / 1_000)} s`);
  } finally {
    await kube.delete(referenceTo(options), { uid: made.metadata.uid ?? '' });
    report('deleting the database and its volume');
  }
  await untilGone(options);
  report('gone');
}

const referenceTo = ({ namespace, name }: CheckOptions): Reference => ({
  resource: resources.database,
  namespace,
  name,
});

async function makeDatabase({ kube, namespace, name }: CheckOptions): Promise<DatabaseObject> {
  try {
    return await kube.create<DatabaseObject>(
      resources.database,
      {
        apiVersion,
        kind: 'LedgerDatabase',
        metadata: { name, namespace },
        spec: {
          topology: 'single',
          suspend: false,
          deletionProtection: false,
          deletionPolicy: 'Delete',
        },
      },
      { fieldManager },
    );
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'UnknownPath') throw error;
    throw new CheckFailed(
      'the API server knows no LedgerDatabase; install the chart ledgerhouse-crds first',
      { cause: error },
    );
  }
}

async function untilReady(options: CheckOptions): Promise<void> {
  const { kube, namespace, name, timeoutMs, timers, report, signal } = options;
  const endsAtMs = timers.nowMs() + timeoutMs;
  let last = 'the operator has not seen the database; check that its Deployment runs';
  for (;;) {
    const database = await kube.read<DatabaseObject>(referenceTo(options));
    if (database === undefined) throw new CheckFailed('someone else deleted the database');
    const conditions = database.status?.conditions ?? [];
    const ready = conditions.find(({ type }) => type === 'Ready');
    if (ready?.status === 'True') return;
    const standing = ready === undefined ? last : `${ready.reason}: ${ready.message}`;
    if (standing !== last) report(standing);
    last = standing;
    const stalled = conditions.find(({ type, status }) => type === 'Stalled' && status === 'True');
    if (stalled !== undefined) throw new CheckFailed(`${stalled.reason}: ${stalled.message}`);
    if (signal.aborted) throw new CheckFailed(`interrupted; last state: ${last}`);
    if (timers.nowMs() > endsAtMs) {
      const within = `not ready within ${Math.round(timeoutMs / 1_000)} s`;
      throw new CheckFailed(`${within}; ${last} (kubectl -n ${namespace} describe ldb ${name})`);
    }
    await sleep(timers, lookEveryMs, signal);
  }
}

async function untilGone(options: CheckOptions): Promise<void> {
  const { kube, namespace, name, timeoutMs, timers } = options;
  const endsAtMs = timers.nowMs() + timeoutMs;
  while ((await kube.read(referenceTo(options))) !== undefined) {
    if (timers.nowMs() > endsAtMs) {
      throw new CheckFailed(
        `it is still being deleted after ${Math.round(timeoutMs / 1_000)} s (kubectl -n ${namespace} get ldb ${name} -o yaml)`,
      );
    }
    await sleep(timers, lookEveryMs);
  }
}
