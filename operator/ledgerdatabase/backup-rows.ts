/** Metrics of each database's newest good backup, and of its last proof. */
import type { Labels } from '../../base/metrics/metrics.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';

/** Times in seconds since the UNIX epoch; none for a database without backups. */
export function backupRows(
  databases: readonly DatabaseObject[],
): readonly (readonly [Labels, number])[] {
  return databases.flatMap(({ metadata: { namespace = '', name }, status }) => {
    const { completedAt, lastVerifiedAt, lastReplayedAt } = status?.backup ?? {};
    const times = { made: completedAt, verified: lastVerifiedAt, replayed: lastReplayedAt };
    return Object.entries(times).flatMap(([event, time]) =>
      time === undefined ? [] : [[{ namespace, name, event }, Date.parse(time) / 1_000] as const],
    );
  });
}

/** Durations of each database's last test restore that passed, and of the last replay of its log. */
export function testRows(
  databases: readonly DatabaseObject[],
): readonly (readonly [Labels, number])[] {
  return databases.flatMap(({ metadata: { namespace = '', name }, status }) => {
    const { testSeconds, replaySeconds } = status?.backup ?? {};
    return Object.entries({ restore: testSeconds, replay: replaySeconds }).flatMap(
      ([part, seconds]) =>
        seconds === undefined ? [] : [[{ namespace, name, part }, seconds] as const],
    );
  });
}
