/** Commands for the billing of an organization. */
import type { Command, Group } from '../command.ts';
import { dryRun } from './payload-options.ts';
import { pageOptions } from './wait-options.ts';

const handlers = () => import('../handlers/billing.ts');

const get: Command = {
  kind: 'command',
  name: 'get',
  summary: 'Show the billing status of the organization, and what this month has cost so far',
  description:
    'Databases that were asked for before billing was set up are listed with their outcome.',
  arguments: [],
  options: [],
  examples: [{ command: 'billing get' }],
  load: async () => (await handlers()).getBilling,
};

const update: Command = {
  kind: 'command',
  name: 'update',
  summary: 'Set or remove the spend limit of a month',
  description:
    'When it is reached, no further database can be created; existing ones go on. Events tell that 50, 80 and 100 percent are reached.',
  arguments: [],
  options: [
    {
      name: 'spend-limit',
      value: 'amount',
      summary: 'such as 500 or 499.90, in the currency of the service; none removes the limit',
    },
    dryRun,
  ],
  examples: [
    { command: 'billing update --spend-limit 500' },
    { command: 'billing update --spend-limit none' },
  ],
  load: async () => (await handlers()).updateBilling,
};

const usage: Command = {
  kind: 'command',
  name: 'usage',
  summary: 'List what the databases used in a month, by database or by day, with the total',
  description:
    'Deleted databases are listed, too. Give --database the ID of a deleted one, and also if your role is billing.',
  arguments: [],
  options: [
    {
      name: 'month',
      value: 'month',
      summary: 'such as 2026-11, of UTC; the current one when absent',
    },
    {
      name: 'by',
      value: 'subject',
      summary: 'database (default) or day',
      choices: ['database', 'day'],
    },
    { name: 'database', value: 'database', summary: 'only this database' },
    ...pageOptions,
  ],
  examples: [
    { command: 'billing usage' },
    { command: 'billing usage --month 2026-10 --by day --database payments-prod' },
  ],
  load: async () => (await handlers()).listUsage,
};

const invoices: Command = {
  kind: 'command',
  name: 'invoices',
  summary: 'List the invoices of the organization, the newest first',
  arguments: [],
  options: pageOptions,
  examples: [{ command: 'billing invoices --limit 12' }],
  load: async () => (await handlers()).listInvoices,
};

const checkout: Command = {
  kind: 'command',
  name: 'checkout',
  summary: 'Print the address of a page on which a person sets up or changes the payment method',
  arguments: [],
  options: [dryRun],
  examples: [{ command: 'billing checkout' }],
  load: async () => (await handlers()).openCheckout,
};

export const billing: Group = {
  kind: 'group',
  name: 'billing',
  summary: 'Status, usage, invoices and spend limit of the organization; needs a sign-in',
  children: [get, update, usage, invoices, checkout],
};
