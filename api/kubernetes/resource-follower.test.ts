import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import type { KubeObject, ObjectMeta } from '../../base/kube/kube.ts';
import { settle, VirtualTimers } from '../../test/support/operator/virtual-timers.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import { ResourceFollower } from './resource-follower.ts';

interface Thing extends KubeObject {
  readonly metadata: ObjectMeta & { readonly name: string };
}

const objectOf = (name: string, uid = `${name}-uid`): Thing => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { namespace: 'shop', name, uid },
});

/** A follower of what the cluster has, what its watch has shown so far, and what the store knows. */
function following(cluster: {
  readonly there: readonly Thing[];
  readonly shown: readonly Thing[];
  readonly known: readonly Thing[];
}) {
  const timers = new VirtualTimers();
  const gone: string[] = [];
  const taken: string[] = [];
  let away = false;
  const follower = new ResourceFollower<Thing>({
    concurrency: 2,
    logger: pino({ level: 'silent' }),
    timers,
    kind: {
      noun: 'thing',
      view: {
        find: (_, wanted) => cluster.shown.find(({ metadata }) => metadata.name === wanted),
        list: () => cluster.shown,
      },
      read: async ({ name }) => cluster.there.find(({ metadata }) => metadata.name === name),
      placed: async () =>
        cluster.known.map(({ metadata: { namespace = '', name, uid = '' } }) => ({
          namespace,
          name,
          uid,
        })),
      take: async ({ metadata }) => {
        if (away) throw new StoreUnavailable('the store is away');
        taken.push(metadata.name);
      },
      markGone: async ({ uid }) => {
        if (away) throw new StoreUnavailable('the store is away');
        gone.push(uid);
      },
    },
  });
  const setAway = (value: boolean) => (away = value);
  return { follower, timers, gone, taken, setAway };
}

test('a resource that was just made, and that the watch has not shown yet, is not taken for gone', async () => {
  const made = objectOf('made');
  const { follower, gone } = following({ there: [made], shown: [], known: [made] });
  follower.startSweeping();
  await settle();
  expect(gone).toEqual([]);
  await follower.stop(0);
});

test('a deletion that nobody watched is found, also where another resource has the name', async () => {
  const [lost, replaced] = [objectOf('lost'), objectOf('replaced')];
  const { follower, gone } = following({
    there: [objectOf('replaced', 'another')],
    shown: [],
    known: [lost, replaced],
  });
  follower.startSweeping();
  await settle();
  expect(gone).toEqual(['lost-uid', 'replaced-uid']);
  await follower.stop(0);
});

test('a resource that the store does not know is offered again each minute', async () => {
  const stranger = objectOf('stranger');
  const { follower, taken, timers } = following({
    there: [stranger],
    shown: [stranger],
    known: [],
  });
  follower.startSweeping();
  await settle();
  await timers.advance(60_000);
  expect(taken).toEqual(['stranger', 'stranger']);
  await follower.stop(0);
});

test('a deletion that could not be written is written when the store is there again', async () => {
  const old = objectOf('old');
  const { follower, gone, setAway, timers } = following({ there: [], shown: [], known: [] });
  setAway(true);
  follower.changed({ namespace: 'shop', name: 'old', object: undefined, previous: old });
  await settle();
  expect(gone).toEqual([]);
  setAway(false);
  await timers.advance(10_000);
  expect(gone).toEqual(['old-uid']);
  await follower.stop(0);
});
