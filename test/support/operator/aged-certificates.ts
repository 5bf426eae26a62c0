/** Certificates of a database that has been running for a year and more, for one that has never run. */
import { assert } from '../../../base/assert.ts';
import { uidOf } from '../../../domain/names.ts';
import { renewAfterMs, type Generation } from '../../../operator/certificates/generations.ts';
import { issue } from '../../../operator/certificates/issue.ts';
import { isComplete } from '../../../operator/ledgerdatabase/steps/resolve.ts';
import type { Subject } from '../../../operator/manifests/subject.ts';
import { systemNamespace, type Installation } from '../cluster/installation.ts';
import type { Database } from './operator-world.ts';
import { eventually } from '../shell.ts';

const dayMs = 24 * 60 * 60_000;

/**
 * Puts two generations on record, numbers 2 and 3, made by the operator's own code at the times at which they would have been
 * made, were the next one due tomorrow. The database must be suspended: its first pods then begin with them.
 */
export async function recordAgedCertificates(world: Installation, name: string): Promise<void> {
  // The database is suspended from its first moment on, and gets its addresses a moment later.
  const addressed = async () => {
    const database = await world.get(name);
    return database.status?.endpoints && database;
  };
  const subject = subjectOf(await eventually('the database has its addresses', addressed));
  const newestMs = Date.now() - renewAfterMs + dayMs;
  const shown = await issue(subject, 2, [], newestMs - renewAfterMs);
  const newest = await issue(subject, 3, [shown.generation], newestMs);
  await world.cluster.apply([shown.secret, newest.secret]);
  await record(world, name, () => [shown.generation, newest.generation]);
}

/** The record is what it would be a day later. Certificates have months left then: their ends play no part in it. */
export const letOneDayPass = (world: Installation, name: string): Promise<void> =>
  record(world, name, ({ status }) =>
    (status?.peerCertificates?.generations ?? []).map((one) => ({
      ...one,
      expiresAt: new Date(Date.parse(one.expiresAt) - dayMs).toISOString(),
    })),
  );

/** As it was seen: what the operator writes meanwhile is not undone. */
async function record(
  world: Installation,
  name: string,
  generationsOf: (database: Database) => readonly Generation[],
): Promise<void> {
  await eventually('certificates are on record', async () => {
    const database = await world.get(name);
    const { namespace = 'default', resourceVersion } = database.metadata;
    const peerCertificates = { next: null, generations: generationsOf(database) };
    const patch = JSON.stringify({ metadata: { resourceVersion }, status: { peerCertificates } });
    const what = ['ldb', name, '--subresource=status', '--type=merge', '-p', patch];
    return world.cluster.kubectl('-n', namespace, 'patch', ...what);
  });
}

function subjectOf(database: Database): Subject {
  const { status = {}, spec, metadata } = database;
  const { databaseId, workload, clusterId, resolved, storage, endpoints } = status;
  assert(databaseId !== undefined && workload !== undefined, 'the database has its names');
  assert(clusterId !== undefined && endpoints !== undefined, 'the database has its addresses');
  assert(isComplete(resolved), 'the database is resolved');
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? 'default',
    uid: uidOf(database),
    databaseId,
    workload,
    clusterId,
    resolved,
    storageGb: storage?.requestedGb ?? 0,
    accessNamespaces: [],
    suspend: spec.suspend,
    endpoints,
    operatorNamespace: systemNamespace,
  };
}
