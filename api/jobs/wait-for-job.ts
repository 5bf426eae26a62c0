/** Waits until a job changes: for long polls and event streams. */
import { sleep, systemTimers } from '../../base/timers.ts';
import { uuidOf } from '../store/ids.ts';
import { JobPoll } from './job-poll.ts';
import { findJob } from '../store/jobs.ts';
import { channels, type Listener } from '../store/listener.ts';
import type { Store } from '../store/store.ts';
import type { Job } from '../model/job.ts';

interface JobWait {
  readonly organizationId: string;
  readonly id: string;
  /** Version of the job that the caller has. The call returns when a newer version exists. */
  readonly afterVersion: number;
  readonly timeoutMs: number;
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal;
}

/** Returns the job when its version is newer, or unchanged after the timeout. Returns `undefined` if there is none. */
export async function waitForJob(
  { store, listener }: { store: Store; listener: Listener },
  { organizationId, id, afterVersion, timeoutMs, signal }: JobWait,
): Promise<Job | undefined> {
  const endsAtMs = systemTimers.nowMs() + timeoutMs;
  const uuid = uuidOf(id);
  const wakeUp = () => heard.abort();
  let heard = new AbortController();
  // Subscribes before the first read, so that no change between read and wait is missed.
  const unsubscribe = listener.subscribe(channels.job, (payload) => {
    if (payload === undefined || payload === uuid) wakeUp();
  });
  const unwatch = JobPoll.of(store).watch({ id: uuid, afterVersion, wake: wakeUp });
  try {
    for (;;) {
      heard = new AbortController();
      const job = await findJob(store.read, organizationId, id);
      const leftMs = endsAtMs - systemTimers.nowMs();
      if (job === undefined || job.version > afterVersion || leftMs <= 0 || signal.aborted) {
        return job;
      }
      const wake = AbortSignal.any([heard.signal, signal]);
      await sleep(systemTimers, leftMs, wake);
    }
  } finally {
    unsubscribe();
    unwatch();
  }
}
