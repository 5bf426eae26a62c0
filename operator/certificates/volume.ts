/** The volume with a member's certificates, and its mount: files `ca.crt`, `tls.crt` and `tls.key`. */
import { createHash } from 'node:crypto';
import type { V1Volume, V1VolumeMount } from '@kubernetes/client-node';
import { assert } from '../../base/assert.ts';
import type { Pod } from '../../domain/kinds.ts';
import type { Subject } from '../manifests/subject.ts';
import { peerSecretsOf, shownOf } from './generations.ts';

export const certificatesMount: V1VolumeMount = {
  name: 'certs',
  mountPath: '/certs',
  readOnly: true,
};

/** The volume combines two Secrets, or uses one: a member's trust is renewed before its identity. */
export function certificatesVolume({ workload, peerCertificates = [] }: Subject): V1Volume {
  const secrets = peerSecretsOf(workload, peerCertificates);
  assert(secrets !== undefined, 'certificates are made before the pods that mount them');
  return {
    name: certificatesMount.name,
    projected: {
      // Readable by the containers' group, which owns the volume.
      defaultMode: 0o440,
      sources: [
        { secret: { name: secrets.trust, items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          secret: {
            name: secrets.identity,
            items: [
              { key: 'tls.crt', path: 'tls.crt' },
              { key: 'tls.key', path: 'tls.key' },
            ],
          },
        },
      ],
    },
  };
}

/** The expected content of the volume, for the agent to compare. A Secret trusts the recorded authorities, in their order. */
export function wantedCertificates({ peerCertificates = [] }: Subject): string {
  const shown = shownOf(peerCertificates);
  assert(shown !== undefined, 'certificates are made before the pods that mount them');
  const trusted = peerCertificates.map(({ authority }) => authority).join('');
  return [trusted, shown.authority].map(sha256).join(':');
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Name of the Secret from which a pod takes its authorities. */
export const trustOf = (pod: Pod): string | undefined =>
  pod.spec?.volumes?.find(({ name }) => name === certificatesMount.name)?.projected?.sources?.[0]
    ?.secret?.name;
