import type { Command } from '../command.ts';

export const version: Command = {
  kind: 'command',
  name: 'version',
  summary: 'Print the version',
  arguments: [],
  options: [],
  examples: [{ command: 'version' }],
  load: async () => (await import('../handlers/version.ts')).printVersion,
};
