import { expect, test } from '@jest/globals';
import { runningSeconds, type RunningEvent } from './running.ts';

const hour = new Date('2026-11-21T10:00:00.000Z');
const at = (time: string, type: RunningEvent) => ({
  type,
  occurredAt: new Date(`2026-11-21T${time}Z`),
});

test.each([
  ['nothing is known of it', [], 0, 0],
  ['it ran before and all along', [at('08:00:00', 'database.ready')], 3600, 3600],
  ['it became ready within', [at('10:45:00', 'database.ready')], 900, 900],
  ['less than a second is one', [at('10:59:59.900', 'database.ready')], 1, 1],
  [
    'it was stopped and went on: its volumes stayed',
    [
      at('09:00:00', 'database.ready'),
      at('10:10:00', 'database.suspended'),
      at('10:50:00', 'database.resumed'),
    ],
    1200,
    3600,
  ],
  ['it stood still all along', [at('09:00:00', 'database.suspended')], 0, 3600],
  [
    'it costs nothing from when its deletion is accepted, not from when it is gone',
    [
      at('09:00:00', 'database.ready'),
      at('10:30:00', 'database.delete_requested'),
      at('10:40:00', 'database.deleted'),
    ],
    1800,
    1800,
  ],
  [
    'it was deleted and restored',
    [
      at('09:00:00', 'database.ready'),
      at('10:15:00', 'database.delete_requested'),
      at('10:45:00', 'database.restored'),
    ],
    1800,
    1800,
  ],
] as const)('%s', (_, events, compute, storage) => {
  expect(runningSeconds(hour, events)).toEqual({ compute, storage });
});
