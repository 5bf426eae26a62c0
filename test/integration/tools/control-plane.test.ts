/** The control plane that integration tests run on: several at once, and nothing left of them. */
import { expect, jest, test } from '@jest/globals';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
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
