/** Waiting until a job changes: for long polls and event streams. */
import { sleep, systemTimers } from '../../base/timers.ts';
import { uuidOf } from '../store/ids.ts';
import { findJob } from '../store/jobs.ts';
import { channels, type Listener } from '../store/listener.ts';
import type { Store } from '../store/store.ts';
import type { Job } from '../model/job.ts';

/** How often it looks when it hears nothing: notifications are hints. */
const lookEveryMs = 2_000;

export interface JobWait {
  readonly organizationId: string;
  readonly id: string;
  /** Of the job as the caller knows it; a later one is waited for. */
  readonly afterVersion: number;
  readonly timeoutMs: number;
  /** The caller is gone. */
  readonly signal: AbortSignal;
}

/**
 * The job as soon as its version is later, or as it is when the time is over. `undefined`: there is none.
 */
export async function waitForJob(
  { store, listener }: { store: Store; listener: Listener },
  { organizationId, id, afterVersion, timeoutMs, signal }: JobWait,
): Promise<Job | undefined> {
  const deadlineMs = systemTimers.nowMs() + timeoutMs;
  const uuid = uuidOf(id);
  let heard = new AbortController();
  // Before the first look, so that nothing falls between look and wait.
  const unsubscribe = listener.subscribe(channels.job, (payload) => {
    if (payload === undefined || payload === uuid) heard.abort();
  });
  try {
    for (;;) {
      heard = new AbortController();
      const job = await findJob(store.read, organizationId, id);
      const leftMs = deadlineMs - systemTimers.nowMs();
      if (job === undefined || job.version > afterVersion || leftMs <= 0 || signal.aborted) {
        return job;
      }
      const wake = AbortSignal.any([heard.signal, signal]);
      await sleep(systemTimers, Math.min(leftMs, lookEveryMs), wake);
    }
  } finally {
    unsubscribe();
  }
}
