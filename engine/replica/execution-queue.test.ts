import { expect, test } from '@jest/globals';
import type { Needs } from '../ledger/cold-rows.ts';
import { ExecutionQueue, type Task } from './execution-queue.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A queue whose pages come when the test says so. */
function queue() {
  const brought: { readonly needs: Needs; readonly come: () => void; readonly fail: () => void }[] =
    [];
  const failures: unknown[] = [];
  const ran: number[] = [];
  const made = new ExecutionQueue({
    bring: (needs) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      brought.push({ needs, come: resolve, fail: () => reject(new Error('damaged')) });
      return promise;
    },
    onFailure: (error) => failures.push(error),
  });
  /** A task that lacks a page while `lacks` says so. */
  const task = (id: number, lacks = () => false): Task => ({
    prepare: () => (lacks() ? { pages: [{ table: 7, page: id }], arrived: () => true } : undefined),
    run: () => void ran.push(id),
  });
  return { made, brought, failures, ran, task };
}

test('a task that lacks nothing runs at once; behind one that lacks pages the others wait, in order', async () => {
  const { made, brought, ran, task } = queue();
  made.push(task(1));
  expect(ran).toEqual([1]);
  let lacks = true;
  made.push(task(2, () => lacks));
  made.push(task(3));
  made.push(task(4));
  expect(ran).toEqual([1]);
  expect(made.size).toBe(3);
  lacks = false;
  brought[0]!.come();
  await made.idle();
  expect(ran).toEqual([1, 2, 3, 4]);
});

test('the pages of the next tasks are brought with those of the first', async () => {
  const { made, brought, ran, task } = queue();
  const lacking = new Set([1, 2, 3, 4, 5, 6, 7]);
  for (const id of lacking) made.push(task(id, () => lacking.has(id)));
  expect(brought.map(({ needs }) => needs.pages[0]!.page)).toEqual([1, 2, 3, 4, 5]);
  lacking.delete(1);
  brought[0]!.come();
  await turn();
  expect(ran).toEqual([1]);
  expect(brought.map(({ needs }) => needs.pages[0]!.page)).toEqual([1, 2, 3, 4, 5, 6]);
});

test('what a task lacks when its pages have come is read at once, whoever waits before it', async () => {
  const { made, brought, ran, task } = queue();
  let lacks = true;
  made.push(task(1, () => lacks));
  const pages = [21, 22];
  made.push({
    prepare: () => {
      const [page] = pages;
      return page === undefined ? undefined : { pages: [{ table: 7, page }], arrived: () => true };
    },
    run: () => void ran.push(2),
  });
  for (const page of [21, 22]) {
    expect(brought.at(-1)?.needs.pages[0]!.page).toBe(page);
    pages.shift();
    brought.at(-1)?.come();
    await turn();
  }
  expect(ran).toEqual([]);
  lacks = false;
  brought[0]!.come();
  await turn();
  expect(ran).toEqual([1, 2]);
  expect(brought).toHaveLength(3);
});

test('a task that must wait for something else is asked again, and nothing overtakes it', async () => {
  const { made, ran, task } = queue();
  const { promise, resolve } = Promise.withResolvers<void>();
  let mustWait = true;
  made.push({ ...task(1), mustWait: () => (mustWait ? promise : undefined) });
  made.push(task(2));
  await turn();
  expect(ran).toEqual([]);
  mustWait = false;
  resolve();
  await made.idle();
  expect(ran).toEqual([1, 2]);
});

test('when pages cannot be brought nothing more runs, and that is told once', async () => {
  const { made, brought, failures, ran, task } = queue();
  made.push(task(1, () => true));
  made.push(task(2));
  brought[0]!.fail();
  await made.idle();
  made.push(task(3));
  await turn();
  expect(failures).toHaveLength(1);
  expect(ran).toEqual([]);
});
