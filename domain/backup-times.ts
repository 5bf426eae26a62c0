/** Times of a schedule of backups: cron with a time zone, and a constant delay. Pure. */
import { Cron } from 'croner';
import { digestOf } from '../base/digest.ts';
import type { LedgerBackupSchedule } from './custom-resources.ts';

type Spec = LedgerBackupSchedule['spec'];
type When = Pick<Spec, 'schedule' | 'timeZone'>;

/** Parses the five fields of cron. Returns the error of the fields or the zone, in words. */
export function parseCron({
  schedule: pattern,
  timeZone: timezone,
}: When): Cron | { readonly problem: string } {
  try {
    const cron = new Cron(pattern, { timezone, mode: '5-part' });
    // A zone that does not exist is found only when a time is computed.
    cron.nextRun();
    return cron;
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    return { problem: `"${pattern}" in ${timezone}: ${words}` };
  }
}

/** Constant delay of a schedule's backups behind its times, spread evenly over schedules. */
export const delayMsOf = (uid: string, { jitterSeconds }: Pick<Spec, 'jitterSeconds'>): number =>
  (Number.parseInt(digestOf([uid]).slice(0, 8), 16) % (jitterSeconds + 1)) * 1_000;

/** Times of the next backups, with the delay; fewer than `count`, or none, if there are no more. */
export function nextRunsOf(
  uid: string,
  spec: When & Pick<Spec, 'jitterSeconds'>,
  count: number,
  nowMs: number,
): readonly Date[] {
  const cron = parseCron(spec);
  if ('problem' in cron) return [];
  const delayMs = delayMsOf(uid, spec);
  return cron
    .nextRuns(count, new Date(nowMs - delayMs))
    .map((run) => new Date(run.getTime() + delayMs));
}

/** Times between the next `count` backups, in milliseconds. */
export function periodsOf(spec: When, count: number, nowMs: number): readonly number[] {
  const runs = nextRunsOf('', { ...spec, jitterSeconds: 0 }, count + 1, nowMs);
  return runs.slice(1).map((run, index) => run.getTime() - (runs[index]?.getTime() ?? 0));
}
