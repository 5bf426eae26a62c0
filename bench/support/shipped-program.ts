/** Programs as they are shipped: compiled, with the flags that an image or the chart gives Node. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../../test/support/shell.ts';

/** Arguments for `node`. */
export function shippedProgram(name: 'api' | 'operator'): readonly string[] {
  const program = join(checkout, `dist/${name}/main.js`);
  if (!existsSync(program)) throw new Error(`no ${program}; run: make build`);
  const dockerfile = readFileSync(join(checkout, `images/${name}/Dockerfile`), 'utf8');
  const [, entrypoint] = /^ENTRYPOINT (\[.+\])$/m.exec(dockerfile) ?? [];
  if (entrypoint === undefined) throw new Error(`images/${name}/Dockerfile has no ENTRYPOINT`);
  return [...(JSON.parse(entrypoint) as string[]).slice(1, -1), program];
}

/** Flags for `node` that the chart gives workers. */
export function workerFlags(): readonly string[] {
  const file = join(checkout, 'charts/ledgerhouse/templates/worker-deployment.yaml');
  const command = /command: \[\/bin\/node, (.*)\/app\/dist\/api\/worker-main\.js\]/;
  const [, flags] = command.exec(readFileSync(file, 'utf8')) ?? [];
  if (flags === undefined) throw new Error(`${file} has no command of the worker`);
  return flags.split(', ').filter((flag) => flag !== '');
}
