/** For commands that ask again and again: a restart of the service does not end them. */
import { sleep } from '../base/timers.ts';
import type { Context } from './context.ts';
import { CliFailure, isPassing } from './failure.ts';
import { printable } from './output/printable.ts';

const retryMs = 5_000;

/**
 * Returns what `read` returns; `undefined`, after a while, if there was no answer this time. `leftMs`: if less time is left than the while takes,
 * the failure ends the command.
 */
export async function survived<T>(
  { output, timers }: Context,
  read: () => Promise<T>,
  leftMs = Infinity,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof CliFailure) || !isPassing(error) || leftMs <= retryMs) throw error;
    output.note(`${printable(error.message)}; asking again in ${retryMs / 1_000} s`);
    await sleep(timers, retryMs);
    return undefined;
  }
}
