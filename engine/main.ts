/** `ledger-engine`: the ledger engine's command line. */
import { benchmark } from './commands/benchmark.ts';
import { runProgram } from './commands/command-line.ts';
import { exportFile } from './commands/export.ts';
import { format } from './commands/format.ts';
import { inspect } from './commands/inspect.ts';
import { recover } from './commands/recover.ts';
import { restore } from './commands/restore.ts';
import { start } from './commands/start.ts';
import { version } from './commands/version.ts';

await runProgram(
  {
    name: 'ledger-engine',
    verbs: [format, start, recover, exportFile, restore, inspect, version, benchmark],
  },
  process.argv.slice(2),
);
