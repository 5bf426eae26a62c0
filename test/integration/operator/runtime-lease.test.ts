/** Leader election among processes that are stopped, frozen and woken. Their writes show who led. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { KubeConfig } from '@kubernetes/client-node';
import { createKube, type KubeHttp } from '../../../base/kube/kube-http.ts';
import type { KubeObject } from '../../../base/kube/kube.ts';
import { resources, type ConfigMap } from '../../../domain/kinds.ts';
import { startControlPlane, type ControlPlane } from '../../../tools/cluster/control-plane.ts';
import { checkout, eventually } from '../../support/shell.ts';

const namespace = 'default';
let plane: ControlPlane;
let kube: KubeHttp;
const candidates: Candidate[] = [];

beforeAll(async () => {
  plane = await startControlPlane();
  const config = new KubeConfig();
  config.loadFromFile(plane.kubeconfig);
  // What the test itself asks may take its time.
  kube = createKube(config, { callTimeoutMs: 60_000 });
});

afterEach(async () => {
  await Promise.all(candidates.splice(0).map((candidate) => candidate.kill()));
});

afterAll(async () => {
  await kube.close();
  await plane.stop();
});

interface Candidate {
  readonly process: ChildProcess;
  readonly output: () => string;
  /** Exit status of the process, once it has ended. */
  readonly ended: Promise<number | null>;
  kill(): Promise<void>;
}

function startCandidate(identity: string): Candidate {
  const script = join(checkout, 'test/support/operator/lease-candidate.ts');
  const child = spawn(process.execPath, [script, plane.kubeconfig, namespace, identity], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (bytes: Buffer) => {
    output += bytes.toString();
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const candidate: Candidate = {
    process: child,
    output: () => output,
    ended,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
  candidates.push(candidate);
  return candidate;
}

/** Follows the journal: who wrote, in the order of the writes, each change of hands once. */
async function followWriters(): Promise<{ readonly writers: string[]; readonly stop: () => void }> {
  const journal: ConfigMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name: 'journal', labels: { journal: 'yes' } },
  };
  await kube.create(resources.configMap, journal, { fieldManager: 'test' });
  const page = await kube.listPage(resources.configMap, {
    namespace,
    signal: new AbortController().signal,
  });
  const stop = new AbortController();
  const writers: string[] = [];
  const stream = kube.watch(resources.configMap, {
    namespace,
    labelSelector: 'journal=yes',
    resourceVersion: page.resourceVersion,
    timeoutSeconds: 3_600,
    signal: stop.signal,
  });
  const follow = async () => {
    for await (const events of stream) {
      for (const { object } of events) {
        const writer = (object as ConfigMap).data?.['writer'];
        if (writer !== undefined && writers.at(-1) !== writer) writers.push(writer);
      }
    }
  };
  follow().catch((error: unknown) => {
    if (!stop.signal.aborted) writers.push(`the watch broke: ${String(error)}`);
  });
  return { writers, stop: () => stop.abort() };
}

/** Resolves when the candidate has looked at the lease and found another holder. */
const standsBy = (candidate: Candidate, identity: string) =>
  eventually(`${identity} stands by`, () =>
    Promise.resolve(candidate.output().includes(`${identity} stands by\n`) || undefined),
  );

// How long a takeover may take at most is told by the unit tests of the election: here the machine's speed is in it.
test('never do two write in turn: a leader that stops hands over at once, a frozen one once its lease has run out', async () => {
  const { writers, stop } = await followWriters();
  const until = (writer: string) =>
    eventually(`a write by ${writer}`, () =>
      Promise.resolve(writers.at(-1) === writer ? true : undefined),
    );
  const first = startCandidate('first');
  await until('first');
  const second = startCandidate('second');
  await standsBy(second, 'second');
  // The second one stands by for longer than a look at the lease takes.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(writers).toEqual(['first']);

  const stoppedAtMs = Date.now();
  first.process.kill('SIGTERM');
  expect(await first.ended).toBe(0);
  // It was given back: nobody waits for it to run out.
  const lease = await kube.read<KubeObject & { spec: { holderIdentity: string } }>({
    resource: resources.lease,
    namespace,
    name: 'lease',
  });
  expect(lease).toBeDefined();
  expect(lease?.spec.holderIdentity).not.toBe('first');
  await until('second');
  const handOverMs = Date.now() - stoppedAtMs;

  const third = startCandidate('third');
  await standsBy(third, 'third');
  const frozenAtMs = Date.now();
  // Between two writes: one that has passed the fence and is not on the wire yet would go out when the process wakes.
  second.process.kill('SIGUSR2');
  await until('third');
  const failOverMs = Date.now() - frozenAtMs;
  second.process.kill('SIGCONT');
  // The process woke up believing that it leads: the fence refused its write, it saw that it had lost, and ended.
  expect(await second.ended).toBe(1);
  expect(second.output()).toContain('second lost\n');
  expect(second.output()).toMatch(/second refused [1-9]/);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(third.process.exitCode).toBeNull();
  stop();
  process.stderr.write(`handed over in ${handOverMs} ms, taken over in ${failOverMs} ms\n`);
  expect(writers).toEqual(['first', 'second', 'third']);
});
