import { expect, test } from '@jest/globals';
import { resources } from '../../operator/runtime/kinds.ts';
import type { Kube, KubeObject } from '../../operator/runtime/kube.ts';
import { dyingKube, Killed } from './dying-kube.ts';

const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } };
const by = { fieldManager: 'test' };

function countingKube() {
  const done: string[] = [];
  const count = <T>(what: string, answer: T) => {
    done.push(what);
    return Promise.resolve(answer);
  };
  const kube = {
    read: () => count('read', object),
    list: () => count('list', []),
    create: (_: unknown, made: KubeObject) => count('create', made),
    apply: (_: unknown, made: KubeObject) => count('apply', made),
    mergePatch: () => count('patch', object),
    delete: () => count('delete', undefined),
  } as unknown as Kube;
  return { kube, done };
}

test('after its last write nothing reaches the API server, reads neither', async () => {
  const { kube, done } = countingKube();
  const dying = dyingKube(kube, 1);
  const pod = { resource: resources.pod, name: 'a' };
  await dying.kube.create(resources.pod, object, by);
  await dying.kube.read(pod);
  expect(dying.dead).toBe(false);
  await expect(dying.kube.delete(pod, { uid: 'u' })).rejects.toBeInstanceOf(Killed);
  await expect(dying.kube.read(pod)).rejects.toBeInstanceOf(Killed);
  expect([dying.dead, dying.writes, done]).toEqual([true, ['create Pod/a'], ['create', 'read']]);
});

test('with the last answer lost the write is done and nobody hears of it', async () => {
  const { kube, done } = countingKube();
  const dying = dyingKube(kube, 1, { lastAnswerLost: true });
  await expect(dying.kube.apply(resources.pod, object, by)).rejects.toBeInstanceOf(Killed);
  await expect(dying.kube.list(resources.pod)).rejects.toBeInstanceOf(Killed);
  expect([dying.dead, done]).toEqual([true, ['apply']]);
});
