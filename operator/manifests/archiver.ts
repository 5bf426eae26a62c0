/**
 * The archiver beside an engine: a sidecar that starts before the engine and stops after it, so that it sends the engine's last
 * words. It alone in the pod has the store's credentials (docs/decisions/0102-archivers-in-pods.md). It reads the log in the data file
 * (docs/decisions/0208-archiver-reads-the-volume.md), or in the member of etcd (docs/decisions/0212-archiver-reads-the-member.md).
 */
import type { V1Container, V1EnvVar, V1VolumeMount } from '@kubernetes/client-node';
import { assert } from '../../base/assert.ts';
import { dataFileVariable, logMemberVariable, ports } from '../../domain/names.ts';
import { hasPeers } from '../certificates/generations.ts';
import type { Beside } from '../engines/adapter.ts';
import { engineMount, memberAddress } from '../engines/builtin-member.ts';
import { credentialsMount, storeFlags } from '../store/backup-store.ts';
import { credentialsVolume } from '../store/lend.ts';
import { containerSecurity, dataMount, replicaIndexEnv } from './container.ts';
import { dataFileOfAny } from './data-file.ts';
import type { Subject } from './subject.ts';

/** Segments that wait while the store is away. */
const spoolMount = { name: 'archive-spool', mountPath: '/spool' };
/** The archiver keeps 900 MiB; the rest is for files that are being written. */
const SPOOL_LIMIT = '1Gi';

/** Requests of the archiver, on top of the size. At full load it takes about 100 MiB, half of it Node's program (docs/decisions/0197-archiver-memory.md). */
export const archiverSize = { cpuMillis: 20, memoryMib: 192 };

/** Flags of its Node. The image's own entrypoint gives the heap of an engine; what is young here dies at once. */
export const archiverFlags = ['--max-old-space-size=48', '--max-semi-space-size=1'];

/** The engine's flag that keeps the log for the archiver. */
export const archiveFlag = ({ archiving }: Subject): readonly string[] =>
  archiving === undefined ? [] : ['--archive'];

export function archiverBeside(subject: Subject): Pick<Beside, 'sidecars' | 'volumes'> {
  const { archiving, store } = subject;
  if (archiving === undefined) return { sidecars: [], volumes: [] };
  assert(store !== undefined, 'a log is archived into a store');
  return {
    sidecars: [archiver(subject, store, archiving.rpoSeconds)],
    volumes: [
      { name: spoolMount.name, emptyDir: { sizeLimit: SPOOL_LIMIT } },
      credentialsVolume(subject, store),
    ],
  };
}

function archiver(
  subject: Subject,
  store: NonNullable<Subject['store']>,
  rpoSeconds: number,
): V1Container {
  const { databaseId, clusterId, resolved } = subject;
  const { cpuMillis, memoryMib } = archiverSize;
  const log = logOf(subject);
  return {
    name: 'archive',
    image: resolved.engine.image,
    imagePullPolicy: 'IfNotPresent',
    // Makes it a sidecar.
    restartPolicy: 'Always',
    command: ['/bin/node', ...archiverFlags, '/app/dist/engine/main.js'],
    args: [
      'archive',
      ...storeFlags(store, databaseId),
      `--cluster=${clusterId}`,
      `--engine=127.0.0.1:${ports.status}`,
      `--spool=${spoolMount.mountPath}`,
      `--rpo=${rpoSeconds}`,
    ],
    env: log.env,
    resources: {
      requests: { cpu: `${cpuMillis}m`, memory: `${memoryMib}Mi` },
      limits: { memory: `${memoryMib}Mi` },
    },
    securityContext: containerSecurity(),
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [credentialsMount, spoolMount, log.mount],
  };
}

/** Where the log is: that of several replicas is in etcd. */
const logOf = (subject: Subject): { readonly env: V1EnvVar[]; readonly mount: V1VolumeMount } =>
  hasPeers(subject)
    ? { env: [{ name: logMemberVariable, value: memberAddress }], mount: engineMount }
    : {
        env: [replicaIndexEnv, { name: dataFileVariable, value: dataFileOfAny(subject) }],
        mount: { ...dataMount, readOnly: true },
      };
