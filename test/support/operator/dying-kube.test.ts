import { expect, test } from '@jest/globals';
import { resources } from '../../../domain/kinds.ts';
import type { Kube, KubeObject } from '../../../base/kube/kube.ts';
import { Killed, lifeOf } from './dying-kube.ts';

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
  const life = lifeOf(1);
  const dying = life.wrap(kube);
  const pod = { resource: resources.pod, name: 'a' };
  await dying.create(resources.pod, object, by);
  await dying.read(pod);
  expect(life.dead).toBe(false);
  await expect(dying.delete(pod, { uid: 'u' })).rejects.toBeInstanceOf(Killed);
  await expect(dying.read(pod)).rejects.toBeInstanceOf(Killed);
  expect([life.dead, life.writes, done]).toEqual([true, ['create Pod/a'], ['create', 'read']]);
});

test('with the last answer lost the write is done without an answer', async () => {
  const { kube, done } = countingKube();
  const life = lifeOf(1, { lastAnswerLost: true });
  const dying = life.wrap(kube);
  await expect(dying.apply(resources.pod, object, by)).rejects.toBeInstanceOf(Killed);
  await expect(dying.list(resources.pod)).rejects.toBeInstanceOf(Killed);
  expect([life.dead, done]).toEqual([true, ['apply']]);
});

test('a process that does not hear of a write lives on', async () => {
  const { kube, done } = countingKube();
  const life = lifeOf(3, { unanswered: 2 });
  const deaf = life.wrap(kube);
  await deaf.create(resources.pod, object, by);
  await expect(deaf.create(resources.pod, object, by)).rejects.toMatchObject({ status: 0 });
  await deaf.delete({ resource: resources.pod, name: 'a' }, { uid: 'u' });
  expect([life.dead, done]).toEqual([false, ['create', 'create', 'delete']]);
});
