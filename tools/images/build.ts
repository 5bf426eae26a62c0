/**
 * Builds images with Docker if an engine answers, otherwise with buildah. Both build the same files `FROM scratch`. An image's
 * tag is a hash of all its inputs, so an unchanged image is neither built nor loaded again.
 */
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, checkout, ClusterError } from '../cluster/config.ts';
import { withLock } from '../cluster/lock.ts';
import { step } from '../cluster/progress.ts';
import { run, runQuietly } from '../cluster/run.ts';
import { hashOfInputs } from './inputs.ts';
import { forgetOlder, removeFolder } from './kept.ts';
import { recipes } from './rootfs.ts';

export interface Image {
  readonly name: string;
  /** `ledgerhouse/<name>:<hash>`. */
  readonly reference: string;
  /** Path of a docker-archive that contains the image. */
  readonly archive: string;
}

export const imageNames = Object.keys(recipes);

/** Hash of the inputs before anything was built from them. */
let inputs: string | undefined;

/** Returns an image; builds it if it does not exist. */
export async function buildImage(name: string): Promise<Image> {
  const recipe = recipes[name];
  if (recipe === undefined) {
    throw new ClusterError(`no image ${name}; there are ${imageNames.join(', ')}`);
  }
  const folder = join(cacheFolder, 'images');
  mkdirSync(folder, { recursive: true });
  const archiveOf = (hash: string) => join(folder, `${name}-${hash}.tar`);
  const imageOf = (hash: string): Image => ({
    name,
    reference: `ledgerhouse/${name}:${hash}`,
    archive: archiveOf(hash),
  });
  inputs ??= hashOfInputs();
  const note = join(folder, `${name}-of-${inputs}`);
  return withLock(join(folder, `${name}.lock`), async () => {
    const before = existsSync(note) ? readFileSync(note, 'utf8') : undefined;
    if (before !== undefined && existsSync(archiveOf(before))) return imageOf(before);
    // Removes leftovers of interrupted builds. The lock makes this process the only builder.
    for (const left of readdirSync(folder)) {
      if (left.startsWith(`${name}.unfinished-`)) removeFolder(join(folder, left));
    }
    const context = mkdtempSync(join(folder, `${name}.unfinished-`));
    try {
      await recipe.fill(join(context, 'rootfs'));
      cpSync(join(checkout, 'images', recipe.folder, 'Dockerfile'), join(context, 'Dockerfile'));
      const hash = hashOfFolder(context);
      const { reference, archive } = imageOf(hash);
      if (!existsSync(archive)) {
        const started = Date.now();
        await build(context, reference, `${context}/image.tar`);
        renameSync(`${context}/image.tar`, archive);
        forgetOlder(folder, new RegExp(`^${name}-[0-9a-f]{16}\\.tar$`));
        const megabytes = Math.round(statSync(archive).size / 1e6);
        step(
          `built image ${reference} (${megabytes} MB) in ${Math.round((Date.now() - started) / 1000)} s`,
        );
      }
      // If a source changed during the build, the content of the image is unknown.
      if (hashOfInputs() === inputs) writeFileSync(note, hash);
      forgetOlder(folder, new RegExp(`^${name}-of-[0-9a-f]{16}$`));
      return imageOf(hash);
    } finally {
      removeFolder(context);
    }
  });
}

async function build(context: string, reference: string, archive: string): Promise<void> {
  const timeoutMs = 10 * 60_000;
  if (await dockerAnswers()) {
    await run('docker', ['build', '--quiet', '--tag', reference, context], { timeoutMs });
    await run('docker', ['save', '--output', archive, reference], { timeoutMs });
    return;
  }
  // Separate storage for this build: nothing is left behind, and nothing else is touched.
  const storage = [
    '--root',
    `${context}/storage`,
    '--runroot',
    `${context}/run`,
    '--storage-driver',
    'vfs',
  ];
  try {
    await run(
      'buildah',
      [...storage, 'bud', '--isolation', 'chroot', '--tag', reference, context],
      { timeoutMs },
    );
    await run(
      'buildah',
      [...storage, 'push', reference, `docker-archive:${archive}:${reference}`],
      { timeoutMs },
    );
  } catch (error) {
    if (!(error instanceof Error && error.message.includes('ENOENT'))) throw error;
    throw new ClusterError(
      'images need a Docker engine or buildah; on Debian: apt-get install -y buildah',
      {
        cause: error,
      },
    );
  }
}

export async function dockerAnswers(): Promise<boolean> {
  return (await runQuietly('docker', ['version', '--format', '{{.Server.Version}}'])) !== '';
}

/** Hash of names, modes and contents of all files below a folder, without times and owners. */
function hashOfFolder(folder: string): string {
  const hash = createHash('sha256');
  const visit = (path: string, name: string) => {
    const stat = statSync(path);
    hash.update(`${name}\0${stat.mode}\0`);
    if (stat.isDirectory()) {
      for (const child of readdirSync(path).sort()) visit(join(path, child), `${name}/${child}`);
    } else hash.update(readFileSync(path));
  };
  visit(folder, '');
  return hash.digest('hex').slice(0, 16);
}
