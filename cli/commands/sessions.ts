/** Commands for the sessions of a person. */
import type { Command, Group } from '../command.ts';
import { dryRun } from './payload-options.ts';
import { pageOptions } from './wait-options.ts';

const handlers = () => import('../handlers/sessions.ts');

const list: Command = {
  kind: 'command',
  name: 'list',
  summary:
    'List your sessions, the newest first: browsers, and devices that ledgerhouse login made',
  arguments: [],
  options: pageOptions,
  examples: [{ command: 'sessions list' }],
  load: async () => (await handlers()).listSessions,
};

const end: Command = {
  kind: 'command',
  name: 'end',
  summary: 'End one of your sessions, such as that of a lost machine',
  description:
    'It and all its tokens stop working at once. For the session of this profile: logout.',
  arguments: [{ name: 'session-id' }],
  options: [dryRun],
  examples: [{ command: 'sessions end ses_01jd8f3zk5e0v9t3m2q6r8w4xy' }],
  load: async () => (await handlers()).endSession,
};

export const sessions: Group = {
  kind: 'group',
  name: 'sessions',
  summary: 'Show and end your own sessions; needs a sign-in',
  children: [list, end],
};
