/** `export`: the rows of a ledger as lines of a file. */
import type { Command } from '../command.ts';

export const exportCommand: Command = {
  kind: 'command',
  name: 'export',
  summary: 'Write the accounts or transfers of a database as NDJSON or CSV',
  description:
    'Writes the rows that exist when it begins, in the order of their timestamps, with the names and exact integers of the HTTP API. With --output, the rows go into FILE.partial, which is renamed when it is complete; no existing file is replaced. After an interruption, the same command with --resume continues it. It waits through outages of up to 15 minutes. An export is not a backup: it has only rows, and the balances of accounts are those of the moments when they were read.',
  arguments: [{ name: 'database' }],
  options: [
    {
      name: 'what',
      value: 'what',
      summary: 'accounts or transfers; required',
      choices: ['accounts', 'transfers'],
    },
    {
      name: 'format',
      value: 'format',
      summary: 'ndjson or csv; ndjson when absent',
      choices: ['ndjson', 'csv'],
    },
    { name: 'output', value: 'file', summary: 'a new file; standard output when absent' },
    { name: 'resume', summary: 'continue FILE.partial of an interrupted export' },
    {
      name: 'after',
      value: 'timestamp',
      summary: 'only rows after this timestamp in nanoseconds',
    },
    {
      name: 'page-rows',
      value: 'count',
      summary: 'rows that are asked for at a time, 1 to 8189; 2000 when absent',
    },
  ],
  examples: [
    { command: 'export payments-prod --what transfers --output transfers.ndjson' },
    {
      says: 'continue after an interruption',
      command: 'export payments-prod --what transfers --output transfers.ndjson --resume',
    },
    {
      says: 'to standard output, for a spreadsheet',
      command: 'export payments-prod --what accounts --format csv > accounts.csv',
    },
    {
      says: 'only rows after an earlier export',
      command:
        'export payments-prod --what transfers --after 1795328121972093214 --output more.ndjson',
    },
  ],
  load: async () => (await import('../handlers/export.ts')).exportRows,
};
