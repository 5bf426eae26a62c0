/** The official Node.js client in a pod of a real cluster, one session for as long as the test wants. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import type { TestCluster } from '../cluster/cluster.ts';

interface ClientPod {
  readonly namespace: string;
  readonly name: string;
}

export class OfficialClient {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;
  readonly #lines: Interface;
  #complaints = '';

  private constructor(process: ChildProcessWithoutNullStreams) {
    this.#process = process;
    this.#lines = createInterface({ input: process.stdout });
    this.#answers = this.#lines[Symbol.asyncIterator]();
    process.stderr.on('data', (chunk: Buffer) => (this.#complaints += chunk.toString()));
  }

  /** `addresses`: by default those that the database had when the pod began. */
  static async open(
    cluster: TestCluster,
    { namespace, name }: ClientPod,
    addresses?: string,
  ): Promise<OfficialClient> {
    const where = ['--kubeconfig', cluster.kubeconfig, '-n', namespace];
    const what = ['exec', '-i', name, '--', '/bin/node', '/app/main.js', 'run'];
    const others = addresses === undefined ? [] : [`--addresses=${addresses}`];
    return new OfficialClient(spawn(await cluster.kubectlPath(), [...where, ...what, ...others]));
  }

  /** An operation by the client's own name; the answer as JSON, wide integers as strings. One at a time. */
  async ask<T>(operation: string, events: unknown): Promise<T> {
    this.#process.stdin.write(`${JSON.stringify({ operation, events })}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error(`the client's pod ended: ${this.#complaints}`);
    return JSON.parse(value) as T;
  }

  close(): void {
    this.#process.stdin.end();
    this.#lines.close();
  }
}
