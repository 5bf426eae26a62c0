/** A program as it is shipped: compiled, with the flags that its image gives Node. */
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
