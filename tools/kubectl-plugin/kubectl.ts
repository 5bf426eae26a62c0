/** Runs kubectl with the flags that select cluster and namespace: the plugin has no other access to the cluster. */
import { spawn } from 'node:child_process';

export class KubectlFailed extends Error {
  override readonly name = 'KubectlFailed';
}

export interface Kubectl {
  /** Returns kubectl's output. Throws `KubectlFailed` with kubectl's own message. */
  (...args: readonly string[]): Promise<string>;
}

const timeoutMs = 60_000;

export const kubectlWith =
  (flags: readonly string[]): Kubectl =>
  (...args) =>
    new Promise((resolve, reject) => {
      const child = spawn('kubectl', [...flags, ...args], {
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: timeoutMs,
      });
      let [said, wrong] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (wrong += chunk.toString()));
      child.on('error', (error) => reject(new KubectlFailed(`kubectl: ${error.message}`)));
      child.on('close', (code) => {
        if (code === 0) resolve(said);
        else reject(new KubectlFailed(wrong.trim() || `kubectl ended with ${code}`));
      });
    });
