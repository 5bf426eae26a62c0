import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterConfig } from './config.ts';
import { Processes } from './processes.ts';

/** Prints which cluster is up, and for a native cluster each process with its memory. */
export async function describe(
  config: ClusterConfig,
  up: { provider: string; nodes: number } | undefined,
): Promise<void> {
  if (up === undefined) {
    console.log('no cluster is up');
    return;
  }
  if (!existsSync(config.kubeconfig)) {
    console.log(`a ${up.provider} cluster with ${up.nodes} node(s) is halted; up goes on with it`);
    return;
  }
  console.log(`${up.provider} cluster with ${up.nodes} node(s); kubeconfig ${config.kubeconfig}`);
  const folder = join(config.stateFolder, 'cluster');
  if (!existsSync(folder)) return;
  const processes = new Processes(folder);
  let sum = 0;
  for (const name of processes.names()) {
    const pid = processes.pid(name);
    const megabytes = pid === undefined ? 0 : residentMegabytes(pid);
    sum += megabytes;
    const state =
      pid === undefined ? `not running; its log: ${join(processes.logs, name)}.log` : `pid ${pid}`;
    console.log(`  ${name.padEnd(26)}${String(megabytes).padStart(5)} MB   ${state}`);
  }
  console.log(`  ${'in all'.padEnd(26)}${String(sum).padStart(5)} MB`);
}

function residentMegabytes(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Math.round(Number(match?.[1] ?? 0) / 1024);
}
