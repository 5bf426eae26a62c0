/**
 * A process that wants to lead, and while it does writes its name into the ConfigMap `journal`, as fast as it can:
 * `node test/support/operator/lease-candidate.ts KUBECONFIG NAMESPACE IDENTITY`. It says when it has seen that another leads. SIGTERM:
 * it stops writing, gives the lease back and ends with 0. SIGUSR2: it stands still between two writes until SIGCONT. A lost
 * lease: it goes on trying to write for a moment, which must be refused, and ends with 1.
 */
import { KubeConfig } from '@kubernetes/client-node';
import pino from 'pino';
import { createKube } from '../../../base/kube/kube-http.ts';
import { resources } from '../../../domain/kinds.ts';
import { ApiError } from '../../../base/kube/kube.ts';
import { LeaderElection } from '../../../operator/runtime/leader.ts';
import { LostLeadership } from '../../../base/kube/lost-leadership.ts';

const [kubeconfig = '', namespace = '', identity = ''] = process.argv.slice(2);
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const fieldManager = 'candidate';

let leads = false;
let stopping = false;
const election = new LeaderElection({
  kube: createKube(config, { callTimeoutMs: 3_000, retriesMax: 0 }),
  namespace,
  name: 'lease',
  identity,
  logger: pino({ level: 'silent' }),
  onStarted: () => {
    leads = true;
    process.stdout.write(`${identity} leads\n`);
  },
  onLost: () => {
    process.stdout.write(`${identity} lost\n`);
  },
});
const kube = createKube(config, {
  mayWrite: () => election.isLeader(),
  requestsPerSecond: 1_000,
  requestsBurst: 1_000,
});
process.on('SIGTERM', () => {
  stopping = true;
});
let freezing = false;
process.on('SIGUSR2', () => {
  freezing = true;
});
election.start();

const isFreezing = () => freezing;
const isStopping = () => stopping;
let standsBy = false;
let refused = 0;
for (let count = 0; !isStopping() && refused < 10; count += 1) {
  await new Promise((resolve) => setTimeout(resolve, 10));
  if (!leads && !standsBy && ![undefined, '', identity].includes(election.holder)) {
    standsBy = true;
    process.stdout.write(`${identity} stands by\n`);
  }
  if (isFreezing()) {
    freezing = false;
    process.kill(process.pid, 'SIGSTOP');
  }
  // Once it has led it goes on trying: the fence is what holds it back, not its own good behaviour.
  if (!leads) continue;
  try {
    const journal = { resource: resources.configMap, namespace, name: 'journal' };
    await kube.mergePatch(
      journal,
      { data: { writer: identity, count: `${count}` } },
      { fieldManager },
    );
  } catch (error) {
    // A request in flight when the process was frozen ends with its deadline.
    if (error instanceof LostLeadership) refused += 1;
    else if (!(error instanceof ApiError)) throw error;
  }
}
await election.stop();
process.stdout.write(`${identity} refused ${refused}\n`);
process.exit(refused > 0 ? 1 : 0);
