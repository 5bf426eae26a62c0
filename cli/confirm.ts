/** Confirmation of actions that cannot easily be undone: the user must type the name of the object. */
import { createInterface } from 'node:readline/promises';
import { usageFailure } from './failure.ts';
import type { Input } from './input.ts';
import { printable } from './output/printable.ts';

/** The kind of name that is to be typed, and the kind of object that it names. */
const databaseName = { kind: 'name', thing: 'database' };

/** Called before anything is sent. Throws if nobody can be asked and the flag is missing; it never hangs. */
export function requireConfirmable(
  input: Input,
  { kind, thing } = databaseName,
  what = 'a deletion',
): void {
  if (input.has('confirm') || (process.stdin.isTTY && process.stderr.isTTY)) return;
  throw usageFailure(
    `${what} must be confirmed, and there is no terminal for the question`,
    `give --confirm with the ${kind} of the ${thing}`,
  );
}

export async function confirmByName(
  input: Input,
  name: string,
  { kind, thing } = databaseName,
  purpose = 'to delete it',
): Promise<void> {
  const typed =
    input.text('confirm') ?? (await ask(printable(`type the ${kind} "${name}" ${purpose}: `)));
  // A closed input is typed as nothing, which confirms nothing.
  if (typed === name && typed !== '') return;
  throw usageFailure(`"${typed}" is not the ${kind} of the ${thing}; its ${kind} is "${name}"`);
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
