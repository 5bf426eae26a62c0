/** One of our programs in an image: its compiled sources, and the npm packages that they import, with all dependencies. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { cacheFolder, checkout, ClusterError } from '../cluster/config.ts';
import { withLock } from '../cluster/lock.ts';
import { run } from '../cluster/run.ts';
import { buildConfig, hashOfSources } from './inputs.ts';
import { forgetOlder, removeFolder } from './kept.ts';

/** Access to a cluster brings its library, which is ten times as large as the rest: programs without a cluster do without it. */
const clusterFolder = 'base/kube';

/**
 * Copies `folders` of the compiled sources to `target`, and the packages that they import. A folder comes with those in it,
 * except for `base/kube`, which is named where it is needed.
 */
export async function addProgram(target: string, folders: readonly string[]): Promise<void> {
  const built = await compiled();
  for (const folder of folders) {
    const filter = (path: string) =>
      path !== join(built, clusterFolder) || folder === clusterFolder;
    cpSync(join(built, folder), join(target, 'dist', folder), { recursive: true, filter });
  }
  cpSync(join(checkout, 'package.json'), join(target, 'package.json'));
  for (const folder of closure(importedPackages(join(target, 'dist')))) {
    const to = join(target, relative(checkout, folder));
    mkdirSync(to, { recursive: true });
    cpSync(folder, to, { recursive: true, filter: (path) => isNeeded(relative(folder, path)) });
  }
}

let compilation: Promise<string> | undefined;

/**
 * Folder with all compiled sources, made once for all images of a run. The one of an earlier run is used if its inputs have not
 * changed.
 */
function compiled(): Promise<string> {
  compilation ??= (async () => {
    const images = join(cacheFolder, 'images');
    mkdirSync(images, { recursive: true });
    return withLock(join(images, 'compiled.lock'), async () => {
      const folder = join(images, `compiled-${hashOfSources()}`);
      if (existsSync(folder)) return folder;
      for (const name of readdirSync(images)) {
        if (name.startsWith('compiled.unfinished-')) removeFolder(join(images, name));
      }
      const unfinished = mkdtempSync(join(images, 'compiled.unfinished-'));
      await compile(unfinished);
      renameSync(unfinished, folder);
      forgetOlder(images, /^compiled-[0-9a-f]{16}$/);
      return folder;
    });
  })();
  return compilation;
}

async function compile(folder: string): Promise<void> {
  const compiler = join(checkout, 'node_modules/.bin/tsc');
  const once = ['--incremental', 'false', '--sourceMap', 'false'];
  const args = ['-p', join(checkout, buildConfig), '--outDir', folder, ...once];
  try {
    await run(compiler, args, { timeoutMs: 300_000 });
  } catch (cause) {
    throw new ClusterError('the sources do not compile; make types says why', { cause });
  }
}

/** Names of the packages that compiled modules import; type imports are gone by then. */
function importedPackages(folder: string): readonly string[] {
  const names = new Set<string>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.js')) continue;
    const source = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    // In the compiler's output statements begin a line, so words in comments and strings do not match.
    const imports = source.matchAll(
      /^(?:import|export)\b(?:[\w\s{},*$]*\bfrom)?\s*['"]([^'"]+)['"]|\bimport\(['"]([^'"]+)['"]\)/gm,
    );
    for (const [, named, dynamic] of imports) {
      const name = packageOf(named ?? dynamic ?? '');
      if (name !== undefined) names.add(name);
    }
  }
  return [...names].sort();
}

function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined;
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
  return name === undefined || builtinModules.includes(name) ? undefined : name;
}

/**
 * Folders of the packages and of all their dependencies, each where Node finds it from the package that needs it. Optional
 * dependencies are left out: those of our packages are for other runtimes than Node.
 */
function closure(packages: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const visit = (name: string, from: string) => {
    // Only compilers need types.
    if (name.startsWith('@types/')) return;
    const folder = resolve(name, from);
    if (found.has(folder)) return;
    found.add(folder);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as {
      dependencies?: Record<string, string>;
      optionalDependencies?: Record<string, string>;
    };
    for (const dependency of Object.keys(dependencies)) {
      if (!(dependency in optionalDependencies)) visit(dependency, folder);
    }
  };
  for (const name of packages) visit(name, checkout);
  return [...found].sort();
}

/** Finds a package like Node: in the node_modules of the folder that needs it, then of each folder above. */
function resolve(name: string, from: string): string {
  for (let folder = from; folder.startsWith(checkout); folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
  }
  throw new Error(`the package ${name}, which ${from} needs, is not installed: npm ci`);
}

const unneededFolders = new Set([
  'node_modules',
  'test',
  'tests',
  '__tests__',
  'docs',
  'example',
  'examples',
  'benchmark',
  'benchmarks',
  '.github',
]);

/** Tells whether a file or folder of a package is needed at run time; a nested node_modules holds separate packages. */
function isNeeded(path: string): boolean {
  const name = basename(path);
  return !(unneededFolders.has(name) || /\.(d\.[cm]?ts|map|md|markdown|tsbuildinfo)$/i.test(name));
}
