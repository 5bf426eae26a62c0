/** The table of all commands of the tool. */
import type { Group } from './command.ts';
import { audit, keys, login, logout } from './commands/access.ts';
import { completion } from './commands/completion.ts';
import { config } from './commands/profiles.ts';
import { databases } from './commands/databases.ts';
import { organizations } from './commands/organizations.ts';
import { jobs } from './commands/jobs.ts';
import { api, catalog, whoami } from './commands/service.ts';
import { tb } from './commands/tb.ts';
import { version } from './commands/version.ts';

export const commands: Group = {
  kind: 'group',
  name: 'ledgerhouse',
  summary: 'Ledger databases on your own Kubernetes.',
  children: [
    tb,
    databases,
    jobs,
    catalog,
    login,
    logout,
    whoami,
    organizations,
    keys,
    audit,
    api,
    config,
    completion,
    version,
  ],
};
