/**
 * `make bench-operator`: the operator with a fleet on fake nodes. Makes all databases at once, lets the fleet rest, makes
 * some more one by one, then ends the leader. A real control plane, controllers and scheduler; nodes, kubelets and volumes
 * are KWOK's, which never fail and take no time. Prints figures; never passes or fails by them.
 *
 * DATABASES=1000  TOPOLOGY=single|ha-3|ha-6  IDLE_SECONDS=600
 */
import { loadavg } from 'node:os';
import pino from 'pino';
import { abortable, runInterruptible } from '../support/interruption.ts';
import { report, shownLoad } from '../support/report.ts';
import { count } from '../support/settings.ts';
import { Bench } from './bench.ts';
import { startWorld } from './world.ts';

const logger = pino({ base: null, level: 'warn' });

await runInterruptible(async () => {
  const databases = count('DATABASES', 1_000);
  const idleSeconds = count('IDLE_SECONDS', 600);
  const topology = process.env['TOPOLOGY'] ?? 'single';
  const namespaces = Array.from({ length: 20 }, (_, index) => `org-${index}`);
  const loadBefore = loadavg();
  const world = await startWorld(namespaces);
  const bench = new Bench({ world, databases, idleSeconds, topology, namespaces, logger });
  try {
    const rows = await abortable(() => bench.run());
    report('operator', rows, {
      at: new Date().toISOString(),
      databases,
      topology,
      idleSeconds,
      loadBefore,
      loadAfter: loadavg(),
    });
    console.log(
      `\n${databases} databases of topology ${topology}; load average ${shownLoad(loadBefore)} before, ${shownLoad(loadavg())} after.` +
        ' All of the control plane shares the machine with the operator.',
    );
  } finally {
    await bench.stop();
    await world.stop();
  }
});
