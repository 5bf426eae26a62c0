import { expect, test } from '@jest/globals';
import { HeldAnswers } from './held-answers.ts';
import type { ReplySink } from './served-replica.ts';
import type { Reply } from './sessions.ts';

const reply = (number: number): Reply => ({
  header: new Uint8Array([number]),
  body: new Uint8Array(0),
});

/** Commits that come when the test says so, and the answers that were sent. */
function disk() {
  const waiting: { op: number; callback: () => void }[] = [];
  let committed = 0;
  const held = new HeldAnswers((op, callback) => {
    if (op <= committed) callback();
    else waiting.push({ op, callback });
  });
  const commit = (op: number): void => {
    committed = op;
    for (const { callback } of waiting.splice(0).filter((each) => each.op <= op)) callback();
  };
  const sent: (number | undefined)[] = [];
  const sink: ReplySink = {
    isOpen: true,
    send: ({ header }) => void sent.push(header[0]),
    evict: () => undefined,
  };
  return { held, commit, sent, sink, waiting };
}

test('while the disk stands still one answer of each client is kept, however often it asks', () => {
  const { held, commit, sent, sink, waiting } = disk();
  for (let i = 0; i < 200; i += 1) {
    held.hold(1n, { op: 5, reply: reply(i), sink });
    held.hold(2n, { op: 5, reply: reply(255), sink });
  }
  expect(waiting).toHaveLength(2);
  commit(5);
  expect(sent).toEqual([199, 255]);
  held.hold(1n, { op: 5, reply: reply(7), sink });
  expect(sent).toEqual([199, 255, 7]);
});

test('an answer that took the place of an older one waits for its own commit', () => {
  const { held, commit, sent, sink } = disk();
  held.hold(1n, { op: 5, reply: reply(1), sink });
  held.hold(1n, { op: 6, reply: reply(2), sink });
  commit(5);
  expect(sent).toEqual([]);
  commit(6);
  expect(sent).toEqual([2]);
});
