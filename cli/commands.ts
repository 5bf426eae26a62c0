/** The table of all commands of the tool. */
import type { Group } from './command.ts';
import { audit, keys, login, logout } from './commands/access.ts';
import { backups } from './commands/backups.ts';
import { billing } from './commands/billing.ts';
import { cdc } from './commands/cdc.ts';
import { changes } from './commands/changes.ts';
import { completion } from './commands/completion.ts';
import { config } from './commands/profiles.ts';
import { connect } from './commands/connect.ts';
import { connection } from './commands/connection.ts';
import { databases } from './commands/databases.ts';
import { exportCommand } from './commands/export.ts';
import { importCommand, imports } from './commands/imports.ts';
import { maintenanceWindow } from './commands/maintenance-windows.ts';
import { invitations, members } from './commands/members.ts';
import { metrics, top } from './commands/monitoring.ts';
import { notifications } from './commands/notifications.ts';
import { organizations } from './commands/organizations.ts';
import { jobs } from './commands/jobs.ts';
import { logs } from './commands/logs.ts';
import { api, catalog, whoami } from './commands/service.ts';
import { sessions } from './commands/sessions.ts';
import { tb } from './commands/tb.ts';
import { deliveries, events, webhooks } from './commands/webhooks.ts';
import { version } from './commands/version.ts';

export const commands: Group = {
  kind: 'group',
  name: 'ledgerhouse',
  summary: 'Ledger databases on your own Kubernetes.',
  children: [
    tb,
    cdc,
    connect,
    connection,
    databases,
    changes,
    maintenanceWindow,
    backups,
    importCommand,
    imports,
    exportCommand,
    metrics,
    top,
    logs,
    jobs,
    catalog,
    login,
    logout,
    whoami,
    sessions,
    organizations,
    members,
    invitations,
    billing,
    keys,
    audit,
    webhooks,
    deliveries,
    events,
    notifications,
    api,
    config,
    completion,
    version,
  ],
};
