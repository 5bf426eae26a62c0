/** Runs kubectl with the flags that select cluster and namespace: the plugin has no other access to the cluster. */
import { spawn } from 'node:child_process';

export class KubectlFailed extends Error {
  override readonly name = 'KubectlFailed';
}

export interface Kubectl {
  /** Returns kubectl's output. Throws `KubectlFailed` with kubectl's own message. */
  (...args: readonly string[]): Promise<string>;
  /** Creates an object and returns it as the API server keeps it. One of that name is refused. */
  create<T>(object: T): Promise<T>;
}

const timeoutMs = 60_000;

export function kubectlWith(flags: readonly string[]): Kubectl {
  const kubectl = (...args: readonly string[]) => run([...flags, ...args], '');
  const create = async <T>(object: T): Promise<T> => {
    const how = ['create', '--field-manager=kubectl-ledgerhouse', '-o', 'json', '-f', '-'];
    return JSON.parse(await run([...flags, ...how], JSON.stringify(object))) as T;
  };
  return Object.assign(kubectl, { create });
}

const run = (args: readonly string[], input: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn('kubectl', args, {
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: timeoutMs,
    });
    let [said, wrong] = ['', ''];
    // A chunk may end within a character.
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (wrong += text));
    // A kubectl that ends without reading says why by its exit.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.on('error', (error) => reject(new KubectlFailed(`kubectl: ${error.message}`)));
    child.on('close', (code) => {
      if (code === 0) resolve(said);
      else reject(new KubectlFailed(wrong.trim() || `kubectl ended with ${code}`));
    });
  });
