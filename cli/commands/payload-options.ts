import type { Option } from '../command.ts';

export const payloadOptions: readonly Option[] = [
  { name: 'payload', value: 'json', summary: 'raw JSON payload override, sent byte for byte' },
  {
    name: 'file',
    value: 'path',
    summary: 'read the JSON payload from a file ("-" is standard input); overrides --payload',
  },
];

export const dryRun: Option = {
  name: 'dry-run',
  summary: 'print the request instead of sending it',
};
