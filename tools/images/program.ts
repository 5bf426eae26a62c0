/** A program of ours in an image: its compiled sources, and the npm packages that it needs and no others. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../cluster/config.ts';
import { run } from '../cluster/run.ts';

/** Puts `folders` of the compiled sources and `packages` with their dependencies under `target`. */
export async function addProgram(
  target: string,
  folders: readonly string[],
  packages: readonly string[],
): Promise<void> {
  const built = join(target, 'built');
  const tsc = join(checkout, 'node_modules/.bin/tsc');
  await run(
    tsc,
    [
      '-p',
      join(checkout, 'tsconfig.build.json'),
      '--outDir',
      built,
      '--incremental',
      'false',
      '--sourceMap',
      'false',
    ],
    { timeoutMs: 300_000 },
  );
  for (const folder of folders) {
    cpSync(join(built, folder), join(target, 'dist', folder), { recursive: true });
  }
  rmSync(built, { recursive: true });
  cpSync(join(checkout, 'package.json'), join(target, 'package.json'));
  for (const name of closure(packages)) {
    const from = join(checkout, 'node_modules', name);
    mkdirSync(join(target, 'node_modules', name), { recursive: true });
    cpSync(from, join(target, 'node_modules', name), { recursive: true });
  }
}

/** The packages and all that they depend on, as npm laid them out at the top of node_modules. */
function closure(packages: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const visit = (name: string) => {
    const manifest = join(checkout, 'node_modules', name, 'package.json');
    if (found.has(name) || !existsSync(manifest)) return;
    found.add(name);
    const { dependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      dependencies?: Record<string, string>;
    };
    for (const dependency of Object.keys(dependencies)) visit(dependency);
  };
  for (const name of packages) visit(name);
  return [...found].sort();
}
