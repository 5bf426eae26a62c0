/** The control plane that integration tests run on: several at once, and nothing left of them. */
import { expect, jest, test } from '@jest/globals';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { clusterAccessOf } from '../../../base/kube/cluster-access.ts';
import type { KubeObject } from '../../../base/kube/kube.ts';
import { createKube } from '../../../base/kube/kube-http.ts';
import { resources } from '../../../domain/kinds.ts';
import { Changes } from '../../../tools/cluster/addons/changes.ts';
import { startControlPlane, type ControlPlane } from '../../../tools/cluster/control-plane.ts';
import { eventually, shell } from '../../support/shell.ts';

jest.setTimeout(25 * 60_000);

function coreOf(plane: ControlPlane): CoreV1Api {
  const config = new KubeConfig();
  config.loadFromFile(plane.kubeconfig);
  return config.makeApiClient(CoreV1Api);
}

test('two control planes at once know nothing of each other and leave nothing behind', async () => {
  const planes = await Promise.all([startControlPlane(), startControlPlane()]);
  const [first, second] = planes.map(coreOf);
  await first?.createNamespacedConfigMap({
    namespace: 'default',
    body: { metadata: { name: 'mine' }, data: { answer: '42' } },
  });
  const mine = await first?.readNamespacedConfigMap({ namespace: 'default', name: 'mine' });
  expect(mine?.data).toEqual({ answer: '42' });
  await expect(
    second?.readNamespacedConfigMap({ namespace: 'default', name: 'mine' }),
  ).rejects.toMatchObject({ code: 404 });
  await Promise.all(planes.map((plane) => plane.stop()));
  const { stdout } = await shell('ps', ['-eo', 'args']);
  for (const plane of planes) {
    expect(existsSync(plane.kubeconfig)).toBe(false);
    // Every started process has the folder among its arguments, and no other process on the machine has.
    expect(stdout).not.toContain(dirname(plane.kubeconfig));
  }
});

test('with the controller manager, a namespace gets its default service account', async () => {
  const plane = await startControlPlane({ controllerManager: true });
  try {
    const core = coreOf(plane);
    await core.createNamespace({ body: { metadata: { name: 'org-acme' } } });
    await eventually('the service account', () =>
      core.readNamespacedServiceAccount({ namespace: 'org-acme', name: 'default' }),
    );
  } finally {
    await plane.stop();
  }
});

test('a watcher gets each change, and none while nothing happens', async () => {
  const plane = await startControlPlane();
  const kube = createKube(await clusterAccessOf(plane.kubeconfig));
  const changes = new Changes(kube, [resources.networkPolicy]);
  try {
    expect(changes.take()).toBe(true);
    expect(changes.take()).toBe(false);
    const made = await kube.create(
      resources.networkPolicy,
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'first', namespace: 'default' },
        spec: { podSelector: {} },
      } as KubeObject,
      { fieldManager: 'test' },
    );
    await eventually('the change is told', () => Promise.resolve(changes.take()));
    expect(changes.take()).toBe(false);
    const reference = { resource: resources.networkPolicy, namespace: 'default', name: 'first' };
    await kube.delete(reference, { uid: made.metadata.uid ?? '' });
    await eventually('the end is told', () => Promise.resolve(changes.take()));
    changes.again();
    expect(changes.take()).toBe(true);
  } finally {
    await changes.stop();
    await kube.close();
    await plane.stop();
  }
});
