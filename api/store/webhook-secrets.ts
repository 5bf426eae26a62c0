/** Secrets that sign requests to receivers, as columns of their rows. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';

/** A secret in the form of Standard Webhooks. */
export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/**
 * Columns of a row whose secret is replaced. The previous one signs as well for `graceSeconds`; older ones no longer do.
 * `sealed_by` stays: it names the key that sealed the older of the two.
 */
export const rotated = (sealedSecret: Buffer, graceSeconds: number) => ({
  previousSealedSecret: graceSeconds === 0 ? null : sql<Buffer>`sealed_secret`,
  previousSecretUntil:
    graceSeconds === 0
      ? null
      : sql<Date>`clock_timestamp() + ${graceSeconds} * interval '1 second'`,
  sealedSecret,
  version: sql<number>`version + 1`,
  updatedAt: sql<Date>`clock_timestamp()`,
});

interface SealedSecrets {
  readonly sealedSecret: Buffer;
  readonly previousSealedSecret: Buffer | null;
  /** Whether the grace of a rotation lasts. */
  readonly graceLasts: boolean | null;
}

/** Secrets that sign now, sealed; the second one during the grace of a rotation. */
export const signingSecrets = ({
  sealedSecret,
  previousSealedSecret: previous,
  graceLasts,
}: SealedSecrets): readonly Buffer[] => [
  sealedSecret,
  ...(graceLasts === true && previous !== null ? [previous] : []),
];
