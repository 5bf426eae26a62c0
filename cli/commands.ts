/** Every command of the tool. */
import type { Group } from './command.ts';
import { tb } from './commands/tb.ts';
import { version } from './commands/version.ts';

export const commands: Group = {
  kind: 'group',
  name: 'ledgerhouse',
  summary: 'Ledger databases on your own Kubernetes.',
  children: [tb, version],
};
