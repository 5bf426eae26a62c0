import { z } from 'zod';
import { exampleTime, time } from './common.ts';

export const serviceHealth = z
  .object({
    status: z
      .enum(['OK', 'DEGRADED'])
      .describe(
        'DEGRADED: some part is not OK. Requests are answered as far as they do not need it.',
      ),
    components: z.array(
      z.object({
        name: z
          .enum(['store', 'cluster', 'operator', 'worker'])
          .describe(
            '`store`: PostgreSQL. `cluster`: the Kubernetes API. `operator`: looks after databases. `worker`: does jobs, follows the cluster, sends mail, charges use.',
          ),
        status: z
          .enum(['OK', 'DOWN', 'UNKNOWN'])
          .describe(
            'UNKNOWN: its state cannot be read, because the store or the cluster is not OK.',
          ),
        message: z
          .string()
          .nullable()
          .describe('Consequence while the part is not OK; null: none.'),
        lastSeenAt: time(
          'Time of the last heartbeat of a worker; null for other parts, and before the first heartbeat.',
        ).nullable(),
      }),
    ),
  })
  .meta({ id: 'ServiceHealth' });

export const serviceHealthExample: z.input<typeof serviceHealth> = {
  status: 'DEGRADED',
  components: [
    { name: 'store', status: 'OK', message: null, lastSeenAt: null },
    { name: 'cluster', status: 'OK', message: null, lastSeenAt: null },
    { name: 'operator', status: 'OK', message: null, lastSeenAt: null },
    {
      name: 'worker',
      status: 'DOWN',
      message:
        'No worker runs: requests are answered, but jobs, mail and billing wait, and the health of databases is not known.',
      lastSeenAt: exampleTime,
    },
  ],
};
