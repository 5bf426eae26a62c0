import type { healthRoutes } from '../contract/routes/health.ts';
import type { HandlersOf } from '../http/handler.ts';
import type { WorkersState } from './worker-watch.ts';

export interface HealthServices {
  readonly store: { readonly ready: boolean };
  /** View of the cluster. */
  readonly view: { readonly synced: boolean; readonly operatorAlive: boolean };
  readonly workers: { readonly state: WorkersState };
}

interface Part {
  readonly status: 'OK' | 'DOWN' | 'UNKNOWN';
  readonly message: string | null;
}

const ok: Part = { status: 'OK', message: null };
const unknown: Part = { status: 'UNKNOWN', message: null };

const down = (message: string): Part => ({ status: 'DOWN', message });

/** Answers from memory: the health is known even while nothing else answers. */
export const healthHandlers = (services: HealthServices): HandlersOf<typeof healthRoutes> => ({
  async getHealth() {
    const { store, view, workers } = services;
    const { state } = workers;
    const cluster = view.synced ? ok : down('The Kubernetes API is not known yet.');
    const components = [
      { name: 'store', ...storeOf(store.ready, state), lastSeenAt: null },
      { name: 'cluster', ...cluster, lastSeenAt: null },
      { name: 'operator', ...operatorOf(view), lastSeenAt: null },
      {
        name: 'worker',
        ...workerOf(state),
        lastSeenAt: state.lastSeenAt?.toISOString() ?? null,
      },
    ] as const;
    const isOk = components.every(({ status }) => status === 'OK');
    return { status: 200, body: { status: isOk ? 'OK' : 'DEGRADED', components } };
  },
});

/** The heartbeats of workers are read from the store all the time: if they cannot be read, nothing can. */
function storeOf(ready: boolean, { status }: WorkersState): Part {
  if (ready && status !== 'UNKNOWN') return ok;
  return down('PostgreSQL does not answer: only requests that need no records are answered.');
}

function operatorOf({ synced, operatorAlive }: HealthServices['view']): Part {
  if (!synced) return unknown;
  if (operatorAlive) return ok;
  return down(
    'No operator runs: databases go on, but changes wait, and the health of databases is not known.',
  );
}

function workerOf({ status, problem }: WorkersState): Part {
  if (status === 'UNKNOWN') return unknown;
  if (status === 'STOPPED') {
    return down(
      'No worker runs: requests are answered, but jobs, mail and billing wait, and the health of databases is not known.',
    );
  }
  return problem === null ? ok : down(`No worker can work: ${problem}.`);
}
