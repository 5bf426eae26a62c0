/** Runs a command that an interrupt may not cut off: `node test/support/interrupted-command.ts COMMAND [ARGUMENT …]`. */
import { endWhenInterrupted, runToItsEnd } from '../../tools/up/to-its-end.ts';

const [command = '', ...args] = process.argv.slice(2);
endWhenInterrupted('as said');
process.stdout.write(await runToItsEnd(command, args, { timeoutMs: 60_000 }));
// Placeholder for the next step.
setTimeout(() => {}, 60_000);
