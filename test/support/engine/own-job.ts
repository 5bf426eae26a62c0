/** TigerBeetle's own job of change events (`tigerbeetle amqp`), from an engine of cluster 0 to a queue of a RabbitMQ. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestRabbit } from '../api/rabbitmq.ts';
import { tigerbeetle } from './tigerbeetle.ts';

interface OwnJob {
  readonly port: number;
  readonly rabbit: TestRabbit;
  readonly queue: string;
}

/** The job ends by itself only when something fails. */
export async function whileOwnJobRuns(
  { port, rabbit, queue }: OwnJob,
  work: () => Promise<void>,
): Promise<void> {
  const { username, password } = rabbit.sink();
  const job = spawn(
    tigerbeetle ?? '',
    [
      'amqp',
      `--addresses=127.0.0.1:${port}`,
      '--cluster=0',
      `--host=127.0.0.1:${rabbit.port}`,
      '--vhost=payments',
      `--user=${username}`,
      `--password=${password}`,
      `--publish-routing-key=${queue}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  job.stderr.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-5_000)));
  const ended = once(job, 'exit');
  try {
    await Promise.race([
      work(),
      ended.then(() => {
        throw new Error(`the job ended: ${said}`);
      }),
    ]);
  } finally {
    job.kill('SIGKILL');
    await ended;
  }
}
