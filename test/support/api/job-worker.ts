/**
 * A worker in a process of its own, for tests to kill. Each job adds a row to `work_log` for each of its steps, in the change
 * that shows the step. Arguments: address, owner, milliseconds a step, milliseconds of a lease, and after how many steps it stands
 * still in the middle of the next ones, without end when absent.
 */
import { sql } from 'kysely';
import type { JobHandler } from '../../../api/jobs/handler.ts';
import { Worker } from '../../../api/jobs/worker.ts';
import { writeProgress } from '../../../api/store/job-leases.ts';
import { advance } from '../../../api/jobs/steps.ts';
import { Listener } from '../../../api/store/listener.ts';
import { Store } from '../../../api/store/store.ts';
import { patient, silent } from './store.ts';

const [url = '', owner = '', stepMs = '', leaseMs = '', steps = 'Infinity'] = process.argv.slice(2);
const store = new Store({ url, logger: silent, ...patient, applicationName: owner });
let stepsLeft = Number(steps);
await store.start();
const listener = new Listener(store.pool, silent);
listener.start();

const handler: JobHandler = {
  async run({ job, write, signal }) {
    const next = job.steps.find(({ status }) => status !== 'SUCCEEDED');
    if (next === undefined) return { kind: 'succeeded' };
    stepsLeft -= 1;
    if (stepsLeft < 0) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    await new Promise((resolve) => setTimeout(resolve, Number(stepMs)));
    if (signal.aborted) return { kind: 'again', afterMs: 0 };
    await write(async (change, current) => {
      await sql`INSERT INTO work_log (job, step, owner) VALUES (${job.id}, ${next.name}, ${owner})`.execute(
        change.db,
      );
      await writeProgress(
        change,
        current,
        advance(current, next.name, 'SUCCEEDED', new Date().toISOString()),
      );
    });
    return { kind: 'again', afterMs: 0 };
  },
  async ended(change, job) {
    await sql`INSERT INTO work_log (job, step, owner) VALUES (${job.id}, ${job.status}, ${owner})`.execute(
      change.db,
    );
  },
};

const worker = new Worker({
  store,
  listener,
  owner,
  logger: silent,
  hooks: { ended: () => {}, troubled: () => {} },
  handlers: {
    'database.create': handler,
    'database.delete': handler,
    'database.change': handler,
    'database.restore_deleted': handler,
    'backup.create': handler,
    'backup.delete': handler,
    'backup.verify': handler,
  },
  concurrency: 4,
  leaseMs: Number(leaseMs),
  pollMs: 500,
});
worker.start();
process.stdout.write('working\n');
process.on('SIGTERM', () => {
  void worker
    .stop(60_000)
    .then(() => listener.stop())
    .then(() => store.close());
});
