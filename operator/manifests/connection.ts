/** A ConfigMap with the connection data of clients, named after the database, for their pods to mount. */
import { connectionName } from '../../domain/names.ts';
import type { LedgerDatabase } from '../../domain/custom-resources.ts';
import type { ConfigMap } from '../../domain/kinds.ts';
import { addressList } from './addresses.ts';
import { ownedMetadata } from './metadata.ts';
import type { Subject } from './subject.ts';

export function buildConnection(subject: Subject): ConfigMap {
  const { engine } = subject.resolved;
  const name = connectionName({ metadata: { name: subject.name } } as LedgerDatabase);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: ownedMetadata(subject, name),
    data: {
      addresses: addressList(subject.endpoints),
      clusterId: subject.clusterId,
      engine: engine.name,
      version: engine.version,
      ...(engine.release === undefined ? {} : { release: engine.release }),
    },
  };
}
