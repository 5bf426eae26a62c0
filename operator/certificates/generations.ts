/**
 * Decides which certificates the etcd members of a database use, and when new ones are due (docs/decisions/0018).
 *
 * Each generation is an authority, whose key is forgotten at once, and one certificate that it signed. A generation's Secret
 * trusts its own authority and those of the two generations before it. Members take trust from the newest generation and show
 * the certificate of the one before. So one round of restarts introduces a generation: a member that has not restarted yet
 * trusts the new certificates of the others, and the others still trust its own.
 */
import { jsonOf } from '../../base/json.ts';
import { isReplicatedByEtcd } from '../../domain/catalog/resolve.ts';
import type { DatabaseStatus } from '../../domain/custom-resources.ts';
import type { Subject } from '../manifests/subject.ts';

export type PeerCertificates = NonNullable<DatabaseStatus['peerCertificates']>;
export type Generation = NonNullable<PeerCertificates['generations']>[number];

const dayMs = 24 * 60 * 60_000;
export const lifetimeMs = 730 * dayMs;
/** Time between generations. A certificate is shown from the next generation's issue to the one after: two thirds of its life. */
export const renewAfterMs = lifetimeMs / 3;
/** Maximum number of authorities that are trusted at a time. */
export const generationsMax = 3;

/** Whether the replicas have etcd members beside them. */
export const hasPeers = ({ resolved: { engine, topology } }: Pick<Subject, 'resolved'>): boolean =>
  isReplicatedByEtcd(engine.name, topology.replicas);

/** Names of the Secrets from which a member's pod takes `ca.crt` (`trust`) and `tls.crt`, `tls.key` (`identity`). */
interface PeerSecrets {
  readonly trust: string;
  readonly identity: string;
}

/** Returns `undefined` while there is no generation. */
export function peerSecretsOf(
  workload: string,
  generations: readonly Generation[],
): PeerSecrets | undefined {
  const newest = generations.at(-1);
  const shown = shownOf(generations);
  if (newest === undefined || shown === undefined) return undefined;
  return {
    trust: secretOf(workload, newest),
    identity: secretOf(workload, shown),
  };
}

/** Name of the Secret that holds a generation. Generations without a recorded name use the older form without a uid. */
const secretOf = (workload: string, { secret, number }: Generation): string =>
  secret ?? `${workload}-peers-${number}`;

/** The generation whose certificate the members show. */
export const shownOf = (generations: readonly Generation[]): Generation | undefined =>
  generations.at(-2) ?? generations.at(-1);

export const isDue = (generations: readonly Generation[], nowMs: number): boolean => {
  const newest = generations.at(-1);
  return newest === undefined || nowMs >= expiryMs(newest) - lifetimeMs + renewAfterMs;
};

export const expiryMs = ({ expiresAt }: Generation): number => Date.parse(expiresAt);

/** Parses the generations from a JSON string. Returns `undefined` if the string is not a list of generations. */
export function generationsIn(text: string): readonly Generation[] | undefined {
  const parsed = jsonOf(text);
  return Array.isArray(parsed) && parsed.every(isGeneration) ? parsed : undefined;
}

function isGeneration(value: unknown): value is Generation {
  if (typeof value !== 'object' || value === null) return false;
  const { number, secret, authority, expiresAt } = value as Partial<
    Record<keyof Generation, unknown>
  >;
  const named = secret === undefined || typeof secret === 'string';
  const dated = typeof expiresAt === 'string' && !Number.isNaN(Date.parse(expiresAt));
  return Number.isInteger(number) && typeof authority === 'string' && named && dated;
}
