/** Commands for webhooks, their deliveries, and events. */
import type { Command, Group, Option } from '../command.ts';
import { dryRun } from './payload-options.ts';
import { graceOption } from '../secret-rotation.ts';
import { pageOptions } from './wait-options.ts';

const webhookHandlers = () => import('../handlers/webhooks.ts');
const deliveryHandlers = () => import('../handlers/deliveries.ts');
const eventHandlers = () => import('../handlers/events.ts');
const endpoint = { name: 'endpoint-id' } as const;
const delivery = { name: 'delivery-id' } as const;
const whe = 'whe_01jd8f3zk5e0v9t3m2q6r8w4xy';
const dlv = 'dlv_01jd8f3zk5e0v9t3m2q6r8w4xy';

const subscription: readonly Option[] = [
  {
    name: 'type',
    value: 'type',
    summary: 'events to send, such as database.ready, database.* or *; repeatable; * when absent',
    repeatable: true,
  },
  { name: 'database', value: 'database', summary: 'only events of this database' },
  { name: 'description', value: 'text', summary: 'note for people' },
];

const list: Command = {
  kind: 'command',
  name: 'list',
  summary: 'List webhook endpoints, with their deliveries of 24 hours',
  arguments: [],
  options: [],
  examples: [{ command: 'webhooks list' }],
  load: async () => (await webhookHandlers()).listWebhooks,
};

const get: Command = {
  kind: 'command',
  name: 'get',
  summary: 'Show a webhook endpoint',
  arguments: [endpoint],
  options: [],
  examples: [{ command: `webhooks get ${whe}` }],
  load: async () => (await webhookHandlers()).getWebhook,
};

const create: Command = {
  kind: 'command',
  name: 'create',
  summary: 'Create a webhook endpoint; prints its secret',
  arguments: [{ name: 'url' }],
  options: [...subscription, dryRun],
  examples: [
    { command: 'webhooks create https://hooks.example.com/ledgerhouse' },
    {
      command:
        "webhooks create https://hooks.example.com/l --type 'database.*' --database payments-prod",
    },
  ],
  load: async () => (await webhookHandlers()).createWebhook,
};

const update: Command = {
  kind: 'command',
  name: 'update',
  summary: 'Change the URL, the events or the description of a webhook endpoint; its secret stays',
  arguments: [endpoint],
  options: [
    { name: 'url', value: 'url', summary: 'another URL' },
    {
      name: 'type',
      value: 'type',
      summary:
        'events to send, such as database.ready, database.* or *; repeatable; replaces the list',
      repeatable: true,
    },
    { name: 'database', value: 'database', summary: 'only events of this database' },
    { name: 'all-databases', summary: 'events of all databases' },
    { name: 'description', value: 'text', summary: 'note for people' },
    dryRun,
  ],
  examples: [
    { command: `webhooks update ${whe} --url https://hooks.example.com/new` },
    { command: `webhooks update ${whe} --type 'backup.*' --all-databases` },
  ],
  load: async () => (await webhookHandlers()).updateWebhook,
};

const enable: Command = {
  kind: 'command',
  name: 'enable',
  summary: 'Enable a webhook endpoint; pending deliveries go on',
  arguments: [endpoint],
  options: [dryRun],
  examples: [{ command: `webhooks enable ${whe}` }],
  load: async () => (await webhookHandlers()).enableWebhook,
};

const disable: Command = {
  kind: 'command',
  name: 'disable',
  summary: 'Disable a webhook endpoint: it gets nothing until it is enabled',
  arguments: [endpoint],
  options: [dryRun],
  examples: [{ command: `webhooks disable ${whe}` }],
  load: async () => (await webhookHandlers()).disableWebhook,
};

const remove: Command = {
  kind: 'command',
  name: 'delete',
  summary: 'Delete a webhook endpoint and the history of its deliveries',
  arguments: [endpoint],
  options: [dryRun],
  examples: [{ command: `webhooks delete ${whe}` }],
  load: async () => (await webhookHandlers()).deleteWebhook,
};

const test: Command = {
  kind: 'command',
  name: 'test',
  summary: 'Send a test event, and wait until its first attempt has ended',
  arguments: [endpoint],
  options: [dryRun],
  examples: [{ command: `webhooks test ${whe}` }],
  load: async () => (await webhookHandlers()).testWebhook,
};

const secret: Command = {
  kind: 'command',
  name: 'secret',
  summary: 'Print the secret that signs; the audit log records it',
  arguments: [endpoint],
  options: [],
  examples: [{ command: `webhooks secret ${whe} > webhook-secret` }],
  load: async () => (await webhookHandlers()).showSecret,
};

const rotateSecret: Command = {
  kind: 'command',
  name: 'rotate-secret',
  summary: 'Give a webhook endpoint another secret, and print it',
  arguments: [endpoint],
  options: [graceOption, dryRun],
  examples: [{ command: `webhooks rotate-secret ${whe} --grace 1h` }],
  load: async () => (await webhookHandlers()).rotateSecret,
};

export const webhooks: Group = {
  kind: 'group',
  name: 'webhooks',
  summary: 'Manage the URLs that get the events of the organization; needs a sign-in',
  children: [list, get, create, update, enable, disable, remove, test, secret, rotateSecret],
};

const deliveryFilter: readonly Option[] = [
  { name: 'endpoint', value: 'id', summary: 'only deliveries to this endpoint' },
  { name: 'type', value: 'type', summary: 'only events of this type' },
  { name: 'id', value: 'id', summary: 'only this delivery' },
  { name: 'event', value: 'id', summary: 'only deliveries of this event' },
  {
    name: 'answer',
    value: 'code',
    summary: 'last answer: a code such as 503, a class such as 5xx, or none for no answer',
  },
  {
    name: 'status',
    value: 'status',
    summary: 'PENDING, SUCCEEDED, FAILED or CANCELED; repeatable',
    repeatable: true,
    choices: ['PENDING', 'SUCCEEDED', 'FAILED', 'CANCELED'],
  },
  {
    name: 'after',
    value: 'time',
    summary: 'only deliveries made at this time (RFC 3339) or later',
  },
  { name: 'before', value: 'time', summary: 'only deliveries made before this time (RFC 3339)' },
];

const listDeliveries: Command = {
  kind: 'command',
  name: 'list',
  summary: 'List deliveries, the newest first',
  arguments: [],
  options: [...deliveryFilter, ...pageOptions],
  examples: [
    { command: `deliveries list --endpoint ${whe} --status FAILED` },
    { command: 'deliveries list --answer 5xx' },
  ],
  load: async () => (await deliveryHandlers()).listDeliveries,
};

const getDelivery: Command = {
  kind: 'command',
  name: 'get',
  summary: 'Show a delivery and the body of its requests',
  arguments: [delivery],
  options: [],
  examples: [{ command: `deliveries get ${dlv}` }],
  load: async () => (await deliveryHandlers()).getDelivery,
};

const attempts: Command = {
  kind: 'command',
  name: 'attempts',
  summary: 'List the attempts of a delivery, with the answers of the receiver',
  arguments: [delivery],
  options: [],
  examples: [{ command: `deliveries attempts ${dlv}` }],
  load: async () => (await deliveryHandlers()).listAttempts,
};

const replay: Command = {
  kind: 'command',
  name: 'replay',
  summary: 'Make a delivery again',
  arguments: [delivery],
  options: [dryRun],
  examples: [{ command: `deliveries replay ${dlv}` }],
  load: async () => (await deliveryHandlers()).replayDelivery,
};

const replayMany: Command = {
  kind: 'command',
  name: 'replay-many',
  summary: 'Make many deliveries again; FAILED and CANCELED ones when no status is given',
  arguments: [],
  options: [...deliveryFilter, { name: 'count', summary: 'only count them' }, dryRun],
  examples: [
    { command: `deliveries replay-many --endpoint ${whe} --count` },
    { command: `deliveries replay-many --endpoint ${whe} --after 2026-07-01T00:00:00Z` },
  ],
  load: async () => (await deliveryHandlers()).replayMany,
};

export const deliveries: Group = {
  kind: 'group',
  name: 'deliveries',
  summary: 'Show deliveries of webhooks, and make them again; needs a sign-in',
  children: [listDeliveries, getDelivery, attempts, replay, replayMany],
};

export const events: Command = {
  kind: 'command',
  name: 'events',
  summary: 'Print the last events of the organization, and follow them; needs a sign-in',
  arguments: [],
  options: [
    {
      name: 'type',
      value: 'type',
      summary: 'only events of this type, such as database.ready; repeatable',
      repeatable: true,
    },
    {
      name: 'limit',
      value: 'limit',
      summary: 'earlier events to print first, 1 to 100; default 10',
    },
    { name: 'follow', short: 'f', summary: 'go on with new events until you interrupt it' },
  ],
  examples: [
    { command: 'events --follow' },
    { command: 'events --follow --json --type database.unavailable', says: 'one event a line' },
  ],
  load: async () => (await eventHandlers()).printEvents,
};
