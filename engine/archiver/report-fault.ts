/**
 * An archiver that cannot begin before a person has put something right. It says so, and stays: a sidecar that ends keeps its
 * pod from being ready, and a new pod's engine from being started.
 */
import { cutText } from '../../base/cut-text.ts';
import { sleep, type Timers } from '../../base/timers.ts';
import type { ArchiveState } from '../../domain/archive-status.ts';
import type { Feed } from './feed-client.ts';

const REPORT_MS = 15_000;

/** Reports until the signal aborts. */
export async function reportFault(
  feed: Pick<Feed, 'report'>,
  { state, message }: { readonly state: ArchiveState; readonly message: string },
  timers: Timers,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const report = {
      state,
      message: cutText(message, 1_000),
      gaps: 0,
      spoolBytes: 0,
      failures: { [state]: 1 },
      encrypted: false,
      residentBytes: process.memoryUsage.rss(),
    };
    // The engine may be away: the report is soon repeated.
    await feed.report(report).catch(() => undefined);
    await sleep(timers, REPORT_MS, signal);
  }
}
