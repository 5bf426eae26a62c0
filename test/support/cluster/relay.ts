/**
 * A way from the machine to the address at which a database serves its clients: a labelled pod, as an application's, passes on each
 * connection. The machine itself may not connect, by the database's policy.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { resources, type Pod } from '../../../domain/kinds.ts';
import type { Database } from '../operator/operator-world.ts';
import type { TestCluster } from './cluster.ts';
import { startClientPod } from './installation.ts';

const script = `
  const { connect, createServer } = require('node:net');
  const [host, port] = process.env.ADDRESSES.split(':');
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect({ host, port, noDelay: true });
    for (const [one, other] of [[near, far], [far, near]]) {
      one.pipe(other);
      one.on('error', () => {}).on('close', () => other.destroy());
    }
  });
  server.listen(0, () => console.log(server.address().port));
  process.stdin.on('end', () => process.exit(0)).resume();`;

export class Relay {
  readonly host: string;
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(host: string, port: number, process: ChildProcess) {
    this.host = host;
    this.port = port;
    this.#process = process;
  }

  /** `image`: that of images/ledger-client. */
  static async open(cluster: TestCluster, image: string, database: Database): Promise<Relay> {
    const name = await startClientPod(cluster, image, database);
    const { namespace = 'default' } = database.metadata;
    const pod = await cluster.read<Pod>({ resource: resources.pod, namespace, name });
    const where = ['--kubeconfig', cluster.kubeconfig, '-n', namespace];
    const what = ['exec', '-i', name, '--', '/bin/node', '-e', script];
    const child = spawn(await cluster.kubectlPath(), [...where, ...what], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return new Relay(pod?.status?.podIP ?? '', Number(port), child);
  }

  close(): void {
    this.#process.stdin?.end();
  }
}
