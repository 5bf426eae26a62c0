import { expect, test } from '@jest/globals';
import { ApiError, type Kube, type KubeObject } from '../../base/kube/kube.ts';
import { VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { BackupWriter } from './backup-writer.ts';
import { patchOwn } from './patch-own.ts';
import { ScheduleWriter } from './schedule-writer.ts';

const conflict = () => new ApiError('it has moved', { status: 409, reason: 'Conflict' });

/** An API server that refuses this many patches, and what it has. */
function server(conflicts: number, uid: string | undefined) {
  const object = { apiVersion: 'v1', kind: 'It', metadata: { name: 'a', uid } } as KubeObject;
  let patches = 0;
  const kube = {
    mergePatch: () => {
      patches += 1;
      return patches > conflicts ? Promise.resolve(object) : Promise.reject(conflict());
    },
    read: () => Promise.resolve(uid === undefined ? undefined : object),
  } as unknown as Kube;
  return { kube, patches: () => patches };
}
const at = { namespace: 'org', name: 'a' };
const reference = {
  resource: { apiVersion: 'v1', kind: 'It', plural: 'its', namespaced: true },
  ...at,
};

test('a conflict with another writer is no missing resource: the patch is sent again', async () => {
  const { kube, patches } = server(1, 'mine');
  expect((await new BackupWriter(kube).protect(at, 'mine', true))?.metadata.uid).toBe('mine');
  expect(patches()).toBe(2);
  const schedules = new ScheduleWriter(server(1, 'mine').kube);
  expect((await schedules.change(at, 'mine', { suspend: true }))?.metadata.uid).toBe('mine');
});

test.each([[undefined], ['another']])('with %s in its place the resource is gone', async (uid) => {
  const { kube } = server(1, uid);
  expect(await new BackupWriter(kube).protect(at, 'mine', true)).toBeUndefined();
});

test('conflicts at every try are told as conflicts', async () => {
  const { kube, patches } = server(Infinity, 'mine');
  const timers = new VirtualTimers();
  const outcome = patchOwn(kube, reference, 'mine', { spec: {} }, { timers }).catch(
    (error: unknown) => error,
  );
  await timers.advance(5_000);
  expect(await outcome).toMatchObject({ status: 409 });
  expect(patches()).toBe(3);
});
