/** Makes one generation of certificates: the Secret that holds it, and its record for the status. */
import { memberName, peerSecretName } from '../../domain/names.ts';
import type { Secret } from '../../domain/kinds.ts';
import { ownedMetadata } from '../manifests/metadata.ts';
import type { Subject } from '../manifests/subject.ts';
import { createAuthority } from './authority.ts';
import { generationsMax, lifetimeMs, type Generation } from './generations.ts';

interface Issued {
  readonly secret: Secret;
  readonly generation: Generation;
}

/** Margin for nodes whose clocks are behind this one's. */
const backdatedMs = 60 * 60_000;

/** Issues a generation. `after` holds the earlier generations that it must still trust, oldest first. */
export async function issue(
  subject: Subject,
  number: number,
  after: readonly Generation[],
  nowMs: number,
): Promise<Issued> {
  const notAfter = new Date(nowMs + lifetimeMs);
  notAfter.setUTCMilliseconds(0);
  const authority = await createAuthority(`${subject.uid} ${number}`, {
    notBefore: new Date(nowMs - backdatedMs),
    notAfter,
  });
  const { certificate, key } = await authority.sign(subject.uid, [
    ...subject.endpoints.map(({ index }) => memberName(index)),
    ...subject.endpoints.map(({ ip }) => ip),
  ]);
  const name = peerSecretName(subject.workload, subject.uid, number);
  const trusted = [...after.map((one) => one.authority), authority.certificate];
  return {
    secret: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: ownedMetadata(subject, name),
      type: 'kubernetes.io/tls',
      immutable: true,
      stringData: {
        'ca.crt': trusted.slice(-generationsMax).join(''),
        'tls.crt': certificate,
        'tls.key': key,
      },
    },
    generation: {
      number,
      secret: name,
      authority: authority.certificate,
      expiresAt: notAfter.toISOString().replace('.000Z', 'Z'),
    },
  };
}
