import { expect, test } from '@jest/globals';
import { MemberKeeper } from './member-keeper.ts';
import { SILENT_MIN_MS } from './replace-member.ts';

const nowMs = 100_000;

/** The answer of a follower that heard replica 1 at `heardAtMs` to a request to replace it. */
async function answerOf(heardAtMs: number | undefined) {
  const unasked = () => Promise.reject(new Error('a follower asks etcd nothing'));
  const keeper = new MemberKeeper({
    membership: {
      members: unasked,
      addLearner: unasked,
      removeMember: unasked,
      promoteMember: unasked,
    },
    timers: { nowMs: () => nowMs, wallMs: () => nowMs, after: () => () => undefined },
    leads: () => false,
    heardAtMs: () => heardAtMs,
    onPromoted: () => undefined,
    onReplaced: () => undefined,
  });
  try {
    return await keeper.answer(1, { ask: 'replace', peerUrl: 'http://127.0.0.1:2380' });
  } finally {
    keeper.stop();
  }
}

test('a replica that lives is told to be alive also by followers: it may be the leader itself', async () => {
  expect(await answerOf(nowMs - 50)).toMatchObject({
    outcome: 'lives',
    reason: expect.stringContaining('replica 1 is alive'),
  });
});

test('followers leave a replica that is silent to the leader', async () => {
  expect(await answerOf(nowMs - SILENT_MIN_MS)).toEqual({ outcome: 'not_leading' });
  expect(await answerOf(undefined)).toEqual({ outcome: 'not_leading' });
});
