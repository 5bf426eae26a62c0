/** Start time of the command-line tool, as its user sees it. */
import { Cli } from '../../test/support/cli/cli.ts';

const times = 21;

/** Milliseconds. `first`: Node has compiled nothing yet, as after an installation. */
export async function wallTimesOf(
  flag: string,
): Promise<{ readonly first: number; readonly again: readonly number[] }> {
  const cli = new Cli();
  // As for a user, the cache is in the home folder, which is empty.
  const env = { NODE_COMPILE_CACHE: undefined };
  try {
    const once = async () => {
      const startedMs = performance.now();
      const { code, stderr } = await cli.run([flag], { env });
      if (code !== 0) throw new Error(`ledgerhouse ${flag} ended with ${code}: ${stderr}`);
      return performance.now() - startedMs;
    };
    const first = await once();
    const again: number[] = [];
    while (again.length < times) again.push(await once());
    return { first, again };
  } finally {
    cli.remove();
  }
}
