/** The agent beside a TigerBeetle replica, fed with real datagrams. */
import { afterAll, expect, test } from '@jest/globals';
import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEngineStatus } from '../../../domain/parse-engine-status.ts';
import {
  ask,
  endAllProcesses,
  loopback,
  startAgent,
  type Identity,
} from '../../support/engine/agent.ts';
import { parseExposition } from '../../support/prometheus/exposition.ts';
import { eventually } from '../../support/shell.ts';

const folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-agent-status-'));
const path = join(folder, 'data');
const identity: Identity = { cluster: 255n, replica: 2, count: 3 };
const own = `cluster:${'ff'.padStart(32, '0')},replica:2`;
const socket = createSocket('udp4');

afterAll(async () => {
  socket.close();
  await endAllProcesses();
  rmSync(folder, { recursive: true, force: true });
});

const send = (datagram: string) =>
  new Promise<void>((resolve, reject) => {
    socket.send(datagram, 8125, loopback(2), (error) => (error ? reject(error) : resolve()));
  });

const healthy = [
  'replica_status:0',
  'replica_sync_stage:0',
  'replica_view:2',
  'replica_op:9',
  'replica_commit_min:9',
  'replica_commit_max:9',
  'replica_op_checkpoint:0',
  'release:4360',
];
const linesOf = (gauges: readonly string[], tags = own) =>
  gauges.map((gauge) => `tb.${gauge}|g|#${tags}`).join('\n');

const readiness = (expected: number) =>
  eventually(`readiness ${expected}`, async () => {
    const { code, body } = await ask(2, '/readyz');
    return code === expected ? body : undefined;
  });

test('from silence to ready, and back with the reason', async () => {
  writeFileSync(path, 'x'.repeat(1_000));
  const agent = startAgent(identity, path);
  await eventually('it answers', async () =>
    (await ask(2, '/livez')).code === 200 ? true : undefined,
  );
  expect(await ask(2, '/readyz')).toEqual({ code: 503, body: 'no statistics yet\n' });
  expect(await ask(2, '/status')).toEqual({ code: 503, body: '{"problem":"no statistics yet"}\n' });

  // Metrics of another cluster or replica do not make this replica ready.
  await send(linesOf(healthy, `cluster:${'fe'.padStart(32, '0')},replica:2`));
  await send(linesOf(healthy, `cluster:${'ff'.padStart(32, '0')},replica:1`));
  await send(`\0\xff not statistics\n${'x'.repeat(1_300)}`);
  await eventually('all of it is counted', async () => {
    const { body } = await ask(2, '/metrics');
    return body.includes('lines_ignored_total{reason="foreign"} 16') &&
      body.includes('lines_ignored_total{reason="malformed"} 2')
      ? true
      : undefined;
  });
  expect((await ask(2, '/readyz')).body).toBe('no statistics yet\n');

  await send(linesOf(healthy));
  expect(await readiness(200)).toBe('ok\n');
  const said = parseEngineStatus(JSON.parse((await ask(2, '/status')).body));
  expect(said).toMatchObject({
    engine: 'TigerBeetle',
    clusterId: '255',
    release: '0.17.8',
    role: 'primary',
    syncing: false,
    op: 9,
    commit: 9,
    storage: { usedBytes: 1_000 },
  });
  const { body: metrics } = await ask(2, '/metrics');
  expect(metrics).toContain('\nledgerhouse_tigerbeetle_replica_op{cluster="255",replica="2"} 9\n');
  expect(metrics).toContain('\nledgerhouse_engine_op 9\n');
  expect([...parseExposition(metrics).keys()]).toContain('ledgerhouse_agent_statsd_lines_total');

  await send(linesOf(['replica_status:1']));
  expect(await readiness(503)).toBe('replica_status is 1 (view change)\n');
  await send(linesOf(['replica_status:0', 'replica_sync_stage:2']));
  await eventually('it syncs', async () =>
    (await ask(2, '/readyz')).body === 'replica_sync_stage is 2 (canceling grid)\n'
      ? true
      : undefined,
  );
  expect((await ask(2, '/export')).code).toBe(404);
  expect(await agent.end('SIGTERM')).toBe(0);
});

test('a port that is taken ends it with the reason', async () => {
  const first = startAgent(identity, path);
  await eventually('it answers', async () =>
    (await ask(2, '/livez')).code === 200 ? true : undefined,
  );
  const second = startAgent(identity, path);
  expect(await second.ended).toBe(1);
  expect(second.log).toContain('EADDRINUSE');
  expect(await first.end('SIGTERM')).toBe(0);
});
