/** `ledger-engine`: the ledger engine's command line. */
import { runProgram } from './commands/command-line.ts';
import { engineVerbs } from './commands/verbs.ts';

await runProgram({ name: 'ledger-engine', verbs: engineVerbs }, process.argv.slice(2));
