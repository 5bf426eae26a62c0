import { sleep } from '../../base/timers.ts';
import type { Handler } from '../command.ts';
import type { Context } from '../context.ts';
import { databaseIdOf } from '../database-id.ts';
import { readDurationMs } from '../duration.ts';
import { ExitCode } from '../exit-code.ts';
import { CliFailure, isPassing, valueFailure } from '../failure.ts';
import type { Input } from '../input.ts';
import { untilInterrupted } from '../interruption.ts';
import { printAnswer } from '../output/answer.ts';
import { currentText } from '../output/metrics.ts';
import { printable } from '../output/printable.ts';
import { Screen } from '../output/screen.ts';
import { readCurrent } from './metrics.ts';

const everyDefault = '5s';
const everyLeastMs = 1_000;

/** Shows the newest figures until it is interrupted; an outage of the service does not end it. */
export const showTop: Handler = async (context, input) => {
  const everyMs = readDurationMs('--every', input.text('every') ?? everyDefault);
  if (everyMs < everyLeastMs) throw valueFailure('--every must be 1s or more');
  const { exchange } = await context.service();
  const name = input.argument(0);
  const databaseId = await databaseIdOf(exchange, name);
  if (input.has('once')) {
    const received = await readCurrent(context, databaseId);
    printAnswer(context, input, received, ({ current }) => currentText(current));
    return ExitCode.Ok;
  }
  const screen = new Screen(context.output);
  const look = () => showOnce(context, input, { name, databaseId, screen });
  try {
    await Promise.race([untilInterrupted(), again(context, everyMs, look)]);
  } finally {
    screen.close();
  }
  // A request may be under way; nobody waits for its answer.
  return process.exit(ExitCode.Ok);
};

async function again(
  { timers }: Context,
  everyMs: number,
  look: () => Promise<void>,
): Promise<never> {
  for (;;) {
    await look();
    await sleep(timers, everyMs);
  }
}

interface Watched {
  readonly name: string;
  readonly databaseId: string;
  readonly screen: Screen;
}

async function showOnce(
  context: Context,
  input: Input,
  { name, databaseId, screen }: Watched,
): Promise<void> {
  try {
    const received = await readCurrent(context, databaseId);
    if (input.has('json')) {
      printAnswer(context, input, received, () => '');
      return;
    }
    const { current } = received.document;
    const at = current.usage?.at ?? 'nothing heard';
    screen.show(`${printable(name)}  ${at}\n\n${currentText(current)}`);
  } catch (error) {
    if (!(error instanceof CliFailure) || !isPassing(error)) throw error;
    const at = new Date(context.timers.wallMs()).toISOString();
    const text = `${printable(error.message)}; asking again`;
    if (context.output.isTerminal) screen.show(`${printable(name)}  ${at}\n\n${text}\n`);
    else context.output.note(text);
  }
}
