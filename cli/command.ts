/** A command of the CLI: data for help and completion, and the handler, which gives the exit status. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  run(print: (line: string) => void): number;
}

export type Found =
  | { readonly kind: 'help' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'command'; readonly command: Command };

/** What the first word of the command line asks for. */
export function findCommand(commands: readonly Command[], name: string | undefined): Found {
  if (name === undefined || name === '--help' || name === '-h' || name === 'help')
    return { kind: 'help' };
  const command = commands.find((candidate) => candidate.name === name.replace(/^--/, ''));
  return command === undefined ? { kind: 'unknown' } : { kind: 'command', command };
}

export function helpText(commands: readonly Command[]): string {
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(12)}${summary}`);
  return `Ledger databases on your own Kubernetes.\n\nUsage: ledgerhouse COMMAND\n\nCommands:\n${lines.join('\n')}\n`;
}
