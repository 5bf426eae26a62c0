/** The double's settings from the environment. */
import { releaseOf } from '../../engine/wire/release.ts';

export interface DoubleConfig {
  /** The newest release of this program: major << 16 | minor << 8 | patch. */
  readonly release: number;
  readonly statsdIntervalMs: number;
}

export function readConfig(env: Readonly<Record<string, string | undefined>> = process.env) {
  const version = env['LEDGER_DOUBLE_RELEASE'] ?? '0.17.8';
  const [, major, minor, patch] = /^(\d{1,5})\.(\d{1,3})\.(\d{1,3})$/.exec(version) ?? [];
  if (major === undefined) throw new Error(`LEDGER_DOUBLE_RELEASE is "${version}", no x.y.z`);
  const statsdIntervalMs = Number(env['LEDGER_DOUBLE_STATSD_INTERVAL_MS'] ?? 10_000);
  if (!Number.isInteger(statsdIntervalMs) || statsdIntervalMs < 100 || statsdIntervalMs > 60_000) {
    throw new Error('LEDGER_DOUBLE_STATSD_INTERVAL_MS is no number from 100 to 60000');
  }
  const release = releaseOf(Number(major), Number(minor), Number(patch));
  return { release, statsdIntervalMs } satisfies DoubleConfig;
}
