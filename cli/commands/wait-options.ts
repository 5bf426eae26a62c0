import type { Option } from '../command.ts';

export const waitOptions: readonly Option[] = [
  { name: 'wait', summary: 'wait until it is done (the default)' },
  { name: 'no-wait', summary: 'end as soon as it is accepted' },
  {
    name: 'wait-timeout',
    value: 'duration',
    summary: 'how long to wait, such as 90s, 30m or 1h; default 35m',
  },
];
export const waitTimeout = waitOptions.slice(-1);

export const pageOptions: readonly Option[] = [
  { name: 'limit', value: 'limit', summary: 'rows at most, 1 to 100; default 50' },
  { name: 'cursor', value: 'cursor', summary: 'where the page before ended' },
];
