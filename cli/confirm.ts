/** Confirmation of actions that cannot easily be undone: the user must type the name of the object. */
import { createInterface } from 'node:readline/promises';
import { usageFailure } from './failure.ts';
import type { Input } from './input.ts';

/** Called before anything is sent. Throws if nobody can be asked and the flag is missing; it never hangs. */
export function requireConfirmable(input: Input): void {
  if (input.has('confirm') || (process.stdin.isTTY && process.stderr.isTTY)) return;
  throw usageFailure(
    'a deletion must be confirmed, and there is no terminal for the question',
    'give --confirm with the name of the database',
  );
}

export async function confirmByName(input: Input, name: string): Promise<void> {
  const typed = input.text('confirm') ?? (await ask(`type the name "${name}" to delete it: `));
  if (typed === name) return;
  throw usageFailure(`"${typed}" is not the name of the database; its name is "${name}"`);
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const closed = new Promise<string>((resolve) => {
    terminal.once('close', () => resolve(''));
  });
  try {
    return await Promise.race([terminal.question(question), closed]);
  } finally {
    terminal.close();
  }
}
