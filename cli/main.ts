/** The `ledgerhouse` command. A command is data and a handler; the table below is the whole of it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findCommand, helpText, type Command } from './command.ts';

const commands: readonly Command[] = [
  {
    name: 'version',
    summary: 'Print the version',
    run: (print) => {
      const manifest = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8');
      print(`ledgerhouse ${(JSON.parse(manifest) as { version: string }).version}`);
      return 0;
    },
  },
];

const [name] = process.argv.slice(2);
const found = findCommand(commands, name);
if (found.kind === 'help') {
  process.stdout.write(helpText(commands));
} else if (found.kind === 'unknown') {
  process.stderr.write(`ledgerhouse: no command "${name}"; see: ledgerhouse --help\n`);
  process.exitCode = 2;
} else {
  process.exitCode = found.command.run((line) => process.stdout.write(`${line}\n`));
}
