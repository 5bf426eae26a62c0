import type { Command } from '../command.ts';

export const connect: Command = {
  kind: 'command',
  name: 'connect',
  summary: 'Open local ports through which official clients reach a database',
  description:
    'Opens a port on this machine for each replica and carries its connections to the service, encrypted, with the rights of your key. Prints the addresses and the cluster ID for the clients of each language. Runs until it is interrupted, or until the command behind --exec ends, and then exits with the status of that command. Uses the proxies of HTTPS_PROXY, HTTP_PROXY and NO_PROXY.',
  arguments: [{ name: 'database' }, { name: 'command', optional: true, repeatable: true }],
  options: [
    {
      name: 'port',
      short: 'p',
      value: 'number',
      summary:
        'port of the first replica, the others follow; 0: any free ports. Default: 3000, with --exec 0',
    },
    {
      name: 'host',
      value: 'address',
      summary:
        'address to listen on, 127.0.0.1 by default; anyone who reaches another one has the rights of your key',
    },
    { name: 'exec', summary: 'run the command behind -- with the environment set' },
  ],
  examples: [
    { command: 'connect payments-prod' },
    {
      command: 'connect payments-prod --exec -- node app.js',
      says: 'TB_ADDRESS and TB_CLUSTER_ID are set for app.js',
    },
  ],
  load: async () => (await import('../handlers/connect.ts')).connect,
};
