/** `ledger-agent`: our tasks in pods of either engine, besides the engine itself. */
import { check } from './agent/check.ts';
import { etcdConfig } from './agent/etcd-config.ts';
import { install } from './agent/install.ts';
import { prepare } from './agent/prepare.ts';
import { status } from './agent/status.ts';
import { runProgram } from './commands/command-line.ts';

await runProgram(
  { name: 'ledger-agent', verbs: [prepare, install, check, etcdConfig, status] },
  process.argv.slice(2),
);
