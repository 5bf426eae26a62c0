/** `ledger-agent`: our tasks in pods of either engine, besides the engine itself. */
import { agentVerbs } from './agent/verbs.ts';
import { runProgram } from './commands/command-line.ts';

await runProgram({ name: 'ledger-agent', verbs: agentVerbs }, process.argv.slice(2));
