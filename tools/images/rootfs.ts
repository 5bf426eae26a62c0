/** What is in each image: files put together under a folder, from which both Docker and buildah build `FROM scratch`. */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureProgram } from '../cluster/binaries.ts';
import { checkout } from '../cluster/config.ts';
import { run } from '../cluster/run.ts';
import { addProgram } from './program.ts';

export interface Recipe {
  /** Under images/, with its Dockerfile. */
  readonly folder: string;
  /** Puts the image's files under `rootfs`. */
  fill(rootfs: string): Promise<void>;
}

export const recipes: Readonly<Record<string, Recipe>> = {
  pause: {
    folder: 'pause',
    async fill(rootfs) {
      mkdirSync(rootfs, { recursive: true });
      cpSync(await ensureProgram('pause'), join(rootfs, 'pause'));
    },
  },
  engine: {
    folder: 'engine',
    async fill(rootfs) {
      await nodeRuntime(rootfs);
      await addProgram(join(rootfs, 'app'), ['base', 'domain', 'engine', 'gen']);
    },
  },
  // The same engine as of another version, for tests of upgrades.
  'engine-next': {
    folder: 'engine',
    async fill(rootfs) {
      await nodeRuntime(rootfs);
      await addProgram(join(rootfs, 'app'), ['base', 'domain', 'engine', 'gen']);
      const manifest = join(rootfs, 'app/package.json');
      const parsed = JSON.parse(readFileSync(manifest, 'utf8')) as object;
      writeFileSync(manifest, `${JSON.stringify({ ...parsed, version: '0.2.0' }, undefined, 2)}\n`);
    },
  },
  'ledger-client': {
    folder: 'ledger-client',
    async fill(rootfs) {
      await nodeRuntime(rootfs);
      const client = join(rootfs, 'app/node_modules/tigerbeetle-node');
      mkdirSync(client, { recursive: true });
      cpSync(join(checkout, 'images/ledger-client/main.js'), join(rootfs, 'app/main.js'));
      // Its libraries for other machines are ten times as large as all the rest.
      const ours = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
      cpSync(join(checkout, 'node_modules/tigerbeetle-node'), client, {
        recursive: true,
        filter: (path) => !/dist\/bin\/./.test(path) || path.includes(ours),
      });
      writeFileSync(join(rootfs, 'app/package.json'), '{ "type": "module" }\n');
    },
  },
  operator: {
    folder: 'operator',
    async fill(rootfs) {
      await nodeRuntime(rootfs);
      await addProgram(join(rootfs, 'app'), ['base', 'domain', 'gen', 'operator']);
    },
  },
  probe: {
    folder: 'probe',
    async fill(rootfs) {
      await nodeRuntime(rootfs);
      mkdirSync(join(rootfs, 'app'));
      cpSync(join(checkout, 'images/probe/server.js'), join(rootfs, 'app/server.js'));
      writeFileSync(join(rootfs, 'app/package.json'), '{ "type": "module" }\n');
    },
  },
  'tigerbeetle-double': tigerBeetleDouble('0.17.8'),
  'tigerbeetle-double-next': tigerBeetleDouble('0.17.9'),
};

/** `/tigerbeetle` of a release, with the POSIX shell that the operator takes an engine's image to have. */
function tigerBeetleDouble(release: string): Recipe {
  return {
    folder: 'tigerbeetle-double',
    async fill(rootfs) {
      await nodeRuntime(rootfs);
      await addExecutable('/bin/sh', join(rootfs, 'bin/sh'), rootfs);
      await addProgram(join(rootfs, 'app'), [
        'base',
        'domain',
        'engine',
        'gen',
        'images/tigerbeetle-double',
      ]);
      const program = join(rootfs, 'tigerbeetle');
      writeFileSync(
        program,
        `#!/bin/sh\nLEDGER_DOUBLE_RELEASE=${release} exec /bin/node --disable-warning=ExperimentalWarning /app/dist/images/tigerbeetle-double/main.js "$@"\n`,
      );
      chmodSync(program, 0o755);
    },
  };
}

/** The pinned Node, the libraries that it loads, and a user to run it as. */
async function nodeRuntime(rootfs: string): Promise<void> {
  for (const folder of ['bin', 'etc', 'tmp', 'data'])
    mkdirSync(join(rootfs, folder), { recursive: true });
  chmodSync(join(rootfs, 'tmp'), 0o1777);
  await addExecutable(process.execPath, join(rootfs, 'bin/node'), rootfs);
  // Node resolves names by the C library, which loads these when asked for one.
  writeFileSync(join(rootfs, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  writeFileSync(join(rootfs, 'etc/passwd'), 'nonroot:x:65532:65532:nonroot:/:/bin/false\n');
  writeFileSync(join(rootfs, 'etc/group'), 'nonroot:x:65532:\n');
}

/** A program of this machine and the libraries that it is linked with. */
async function addExecutable(program: string, target: string, rootfs: string): Promise<void> {
  copyFileSync(realpathSync(program), target);
  const linked = await run('ldd', [realpathSync(program)]);
  for (const [, library] of linked.matchAll(/(\/\S+\.so[.\d]*)/g)) {
    if (library === undefined || !existsSync(library)) continue;
    const copy = join(rootfs, library);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(realpathSync(library), copy);
  }
}
