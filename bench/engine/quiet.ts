/** The official client warns of every connection that a replica which was killed refuses, and TigerBeetle tells each checkpoint: a thousand lines among the figures. */
import { fork } from 'node:child_process';
import { createInterface } from 'node:readline';

const noise = /^(?:[\d-]+ [\d:.]+Z )?(?:warning|info)\(/;

/** Runs `main` in a process of its own, whose lines of that kind are left out. */
export async function quietly(main: () => Promise<void>): Promise<void> {
  if (process.send !== undefined) {
    await main();
    // An explicit exit: a client without an answer would keep the event loop alive.
    process.exit();
  }
  const [, program = '', ...flags] = process.argv;
  const child = fork(program, flags, { stdio: ['inherit', 'inherit', 'pipe', 'ipc'] });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  if (child.stderr !== null)
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (!noise.test(line)) process.stderr.write(`${line}\n`);
    });
  process.exitCode = await new Promise<number>((resolve) =>
    child.once('exit', (code) => resolve(code ?? 1)),
  );
}
