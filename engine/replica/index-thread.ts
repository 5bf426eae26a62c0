/**
 * The thread that seals and merges parts of the ledger's index (index-helper.ts). Between two slices it looks for messages, so that
 * sealing never waits for a merge. Bytes are shared, not copied.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { assert } from '../../base/assert.ts';
import type { SegmentData } from '../ledger/segments/columns.ts';
import { type IndexJob, runJob } from '../ledger/segments/index-jobs.ts';
import { collectGarbage } from '../log/collect-garbage.ts';

interface Task {
  readonly number: number;
  readonly job: IndexJob;
  readonly generator: Generator<number, SegmentData>;
}

/** Entries between two looks for messages: about a millisecond. */
const ENTRIES_A_TURN = 1 << 16;
const tasks: Task[] = [];
let isRunning = false;

assert(parentPort !== null, 'this is the program of a thread');
const port = parentPort;
/** A message begins a job, or without one gives up the one with the number. */
interface Message {
  readonly number: number;
  readonly job?: IndexJob;
}

port.on('message', ({ number, job }: Message) => {
  if (job === undefined) {
    const given = tasks.findIndex((task) => task.number === number);
    if (given !== -1) tasks.splice(given, 1);
    collectGarbage();
    return;
  }
  tasks.push({ number, job, generator: runJob(job) });
  if (!isRunning) void run();
});

async function run(): Promise<void> {
  isRunning = true;
  while (tasks.length > 0) {
    const isOver = advance(tasks.find(({ job }) => job.kind === 'seal') ?? tasks[0]!);
    await nextTurn();
    // The heap of this thread is small and hardly grows. Left alone, it would keep the bytes of segments that nobody needs any more.
    if (isOver) collectGarbage();
  }
  isRunning = false;
}

/** Does some of the task. Returns whether it is over. */
function advance(task: Task): boolean {
  for (let left = ENTRIES_A_TURN; left > 0;) {
    const step = task.generator.next();
    if (step.done === true) {
      tasks.splice(tasks.indexOf(task), 1);
      port.postMessage({ number: task.number, segment: step.value });
      return true;
    }
    left -= step.value;
  }
  return false;
}
