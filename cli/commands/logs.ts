/** `logs`: log lines of a database's containers. */
import type { Command } from '../command.ts';

export const logs: Command = {
  kind: 'command',
  name: 'logs',
  summary: 'Print the logs of a database’s containers, and follow them',
  description:
    'Prints the newest lines, the oldest of them first. With --follow it goes on with new ones, through restarts of the service, until it is interrupted. Give the ID or the name of the database.',
  arguments: [{ name: 'database' }],
  options: [
    { name: 'follow', short: 'f', summary: 'go on with new lines' },
    { name: 'since', value: 'duration', summary: 'how far back: 15m, 24h (1h by default)' },
    {
      name: 'severity',
      value: 'severity',
      summary: 'only lines of this severity and above',
      choices: ['DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'],
    },
    {
      name: 'component',
      value: 'name',
      repeatable: true,
      summary: 'only lines of this component; repeatable',
      choices: ['engine', 'agent', 'etcd', 'backup'],
    },
    { name: 'node', value: 'index', summary: 'only lines of the replica with this index' },
    { name: 'search', value: 'text', summary: 'only lines with this text' },
    { name: 'limit', value: 'limit', summary: 'maximum of earlier lines, 1 to 500; default 100' },
  ],
  examples: [
    { command: 'logs payments-prod --follow' },
    {
      command: 'logs payments-prod --severity warn --since 24h',
      says: 'warnings and errors of today',
    },
    { command: 'logs payments-prod --component engine --node 1 --search checkpoint' },
  ],
  load: async () => (await import('../handlers/logs.ts')).printLogs,
};
