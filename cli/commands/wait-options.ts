import type { Option } from '../command.ts';

export const waitOptions: readonly Option[] = [
  { name: 'wait', summary: 'wait until the job is done (the default)' },
  { name: 'no-wait', summary: 'exit as soon as the request is accepted' },
  {
    name: 'wait-timeout',
    value: 'duration',
    summary: 'longest wait, such as 90s, 30m or 1h; default 35m',
  },
];
export const waitTimeout = waitOptions.slice(-1);

export const pageOptions: readonly Option[] = [
  { name: 'limit', value: 'limit', summary: 'maximum row count, 1 to 100; default 50' },
  { name: 'cursor', value: 'cursor', summary: 'cursor printed below the previous page' },
];
