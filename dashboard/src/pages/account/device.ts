/** A few words for a session's program, made from its user agent. */
import type { OwnSession } from '../../../../gen/api.ts';

const browsers = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const;

const systems = [
  [/Windows/, 'Windows'],
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const;

export function deviceOf({ kind, userAgent }: Pick<OwnSession, 'kind' | 'userAgent'>): string {
  const text = userAgent ?? '';
  if (kind === 'device') return `Command line (${text.split(' ')[0] || 'unknown'})`;
  const browser = browsers.find(([pattern]) => pattern.test(text))?.[1];
  const system = systems.find(([pattern]) => pattern.test(text))?.[1];
  if (browser === undefined) return text.split(' ')[0] || 'Unknown';
  return system === undefined ? browser : `${browser} on ${system}`;
}
