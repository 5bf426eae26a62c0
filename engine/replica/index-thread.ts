/**
 * The thread that seals and merges parts of the ledger's index (index-helper.ts). Between two slices it looks for messages, so that
 * sealing never waits for a merge. Bytes are shared, not copied.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../base/assert.ts';
import { bytesOf, type IndexJob, type IndexResult, runJob } from '../ledger/segments/index-jobs.ts';
import { collectGarbage } from '../log/collect-garbage.ts';

interface Task {
  readonly number: number;
  readonly job: IndexJob;
  readonly generator: Generator<number, IndexResult>;
}

/** Entries between two looks for messages: about a millisecond. */
const ENTRIES_A_TURN = 1 << 16;
/** Time without a job after which all garbage is collected. */
const IDLE_MS = 500;
/**
 * Bytes of jobs that are over after which garbage is collected. The heap of this thread is small and hardly grows: left alone, it would keep
 * the bytes of segments that nobody needs any more. A collection takes as much of a processor as half a million entries.
 */
const garbageBytesMax = (workerData as { readonly garbageBytesMax: number }).garbageBytesMax;
let garbageBytes = 0;
let idle: NodeJS.Timeout | undefined;
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
    // Its memory is needed.
    collect();
    return;
  }
  tasks.push({ number, job, generator: runJob(job) });
  if (!isRunning) void run();
});

async function run(): Promise<void> {
  isRunning = true;
  clearTimeout(idle);
  while (tasks.length > 0) {
    advance(tasks.find(({ job }) => job.kind === 'seal') ?? tasks[0]!);
    await nextTurn();
    if (garbageBytes > garbageBytesMax) collect();
  }
  isRunning = false;
  idle = setTimeout(collect, IDLE_MS);
}

function collect(): void {
  garbageBytes = 0;
  collectGarbage();
}

/** Does some of the task. */
function advance(task: Task): void {
  for (let left = ENTRIES_A_TURN; left > 0;) {
    const step = task.generator.next();
    if (step.done === true) {
      tasks.splice(tasks.indexOf(task), 1);
      port.postMessage({ number: task.number, result: step.value });
      garbageBytes += bytesOf(task.job, step.value);
      return;
    }
    left -= step.value;
  }
}
