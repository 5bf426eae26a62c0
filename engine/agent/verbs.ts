/** Verbs of `ledger-agent`, by name, in the order of its help. */
import type { Program } from '../commands/command-line.ts';

export const agentVerbs: Program['verbs'] = {
  prepare: async () => (await import('./prepare.ts')).prepare,
  install: async () => (await import('./install.ts')).install,
  check: async () => (await import('./check.ts')).check,
  'etcd-config': async () => (await import('./etcd-config.ts')).etcdConfig,
  status: async () => (await import('./status.ts')).status,
};
