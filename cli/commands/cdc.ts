/** Commands for the change events of databases, and for the streams that push them. */
import type { Command, Group, Option } from '../command.ts';
import { dryRun } from './payload-options.ts';
import { sinkOptions } from '../change-stream-sink.ts';
import { resumeStreams, suspendStreams } from './changes.ts';
import { graceOption } from '../secret-rotation.ts';

const database = { name: 'database' } as const;
const stream = { name: 'stream-id' } as const;
const chs = 'chs_01jd8f3zk5e0v9t3m2q6r8w4xy';
const streamHandlers = () => import('../handlers/change-streams.ts');

const after: Option = {
  name: 'after',
  value: 'place',
  summary: 'events after this timestamp in nanoseconds, or now or beginning; now when absent',
};
const description: Option = { name: 'description', value: 'text', summary: 'note for people' };

const tail: Command = {
  kind: 'command',
  name: 'tail',
  summary: 'Print the change events of a database, and follow them',
  description:
    'Prints a line for each transfer that was created and each pending transfer that expired, in the order of their timestamps. Goes on through restarts of the service until it is interrupted. To go on later, give the last timestamp as --after.',
  arguments: [database],
  options: [after, { name: 'no-follow', summary: 'end when there is nothing more' }],
  examples: [
    { command: 'cdc tail payments-prod' },
    {
      command: 'cdc tail payments-prod --after beginning --no-follow --json > events.ndjson',
      says: 'one event a line',
    },
  ],
  load: async () => (await import('../handlers/cdc.ts')).tailChangeEvents,
};

const list: Command = {
  kind: 'command',
  name: 'list',
  summary: 'List the change streams of a database, with their lag',
  arguments: [database],
  options: [],
  examples: [{ command: 'cdc list payments-prod' }],
  load: async () => (await streamHandlers()).listStreams,
};

const get: Command = {
  kind: 'command',
  name: 'get',
  summary: 'Show a change stream: its state, its position, and its last failure',
  arguments: [database, stream],
  options: [],
  examples: [{ command: `cdc get payments-prod ${chs}` }],
  load: async () => (await streamHandlers()).getStream,
};

const create: Command = {
  kind: 'command',
  name: 'create',
  summary: 'Push the change events of a database to a webhook or a broker; needs a sign-in',
  description:
    'Events come at least once and in the order of their timestamps. https: requests by Standard Webhooks, at most 100 events in each; the secret that signs is printed. amqps: messages of TigerBeetle’s own form to a broker such as RabbitMQ. kafkas: messages to a topic. The password of a user is read from standard input.',
  arguments: [database, { name: 'url' }],
  options: [after, description, ...sinkOptions, dryRun],
  examples: [
    { command: 'cdc create payments-prod https://hooks.example.com/ledger > secret' },
    {
      command: 'cdc create payments-prod https://hooks.example.com/ledger --after beginning',
      says: 'with all events that the ledger has',
    },
    {
      command:
        'cdc create payments-prod amqps://broker.example.com/payments --username ledger --exchange ledger-events --routing-key payments < password',
      says: 'to an exchange of RabbitMQ',
    },
    {
      command:
        'cdc create payments-prod kafkas://broker.example.com:9093 --username ledger --topic ledger-events < password',
      says: 'to a topic of Kafka',
    },
  ],
  load: async () => (await streamHandlers()).createStream,
};

const update: Command = {
  kind: 'command',
  name: 'update',
  summary: 'Change the sink or the description of a change stream; needs a sign-in',
  arguments: [database, stream],
  options: [
    { name: 'url', value: 'url', summary: 'URL for the next event and later ones' },
    { name: 'password', summary: 'for a broker: ask for another password' },
    ...sinkOptions,
    description,
    dryRun,
  ],
  examples: [{ command: `cdc update payments-prod ${chs} --url https://other.example.com/ledger` }],
  load: async () => (await streamHandlers()).updateStream,
};

const pause: Command = {
  kind: 'command',
  name: 'pause',
  summary: 'Pause a change stream; it keeps its position; needs a sign-in',
  arguments: [database, stream],
  options: [dryRun],
  examples: [{ command: `cdc pause payments-prod ${chs}` }],
  load: async () => (await streamHandlers()).pauseStream,
};

const resume: Command = {
  kind: 'command',
  name: 'resume',
  summary: 'Resume a change stream that is paused or failed, or try at once; needs a sign-in',
  arguments: [database, stream],
  options: [dryRun],
  examples: [{ command: `cdc resume payments-prod ${chs}` }],
  load: async () => (await streamHandlers()).resumeStream,
};

const remove: Command = {
  kind: 'command',
  name: 'delete',
  summary: 'Delete a change stream and its position; needs a sign-in',
  arguments: [database, stream],
  options: [dryRun],
  examples: [{ command: `cdc delete payments-prod ${chs}` }],
  load: async () => (await streamHandlers()).deleteStream,
};

const secret: Command = {
  kind: 'command',
  name: 'secret',
  summary: 'Print the secret that signs; the audit log records it; needs a sign-in',
  arguments: [database, stream],
  options: [],
  examples: [{ command: `cdc secret payments-prod ${chs} > stream-secret` }],
  load: async () => (await streamHandlers()).showStreamSecret,
};

const rotateSecret: Command = {
  kind: 'command',
  name: 'rotate-secret',
  summary: 'Give a change stream another secret, and print it; needs a sign-in',
  arguments: [database, stream],
  options: [graceOption, dryRun],
  examples: [{ command: `cdc rotate-secret payments-prod ${chs} --grace 1h` }],
  load: async () => (await streamHandlers()).rotateStreamSecret,
};

export const cdc: Group = {
  kind: 'group',
  name: 'cdc',
  summary: 'Read the change events of a ledger, and push them to a receiver',
  children: [
    tail,
    list,
    get,
    create,
    update,
    pause,
    resume,
    suspendStreams,
    resumeStreams,
    remove,
    secret,
    rotateSecret,
  ],
};
