/** The content of each image: files in one folder, from which Docker or buildah builds `FROM scratch`. */
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
import { assert } from '../../base/assert.ts';
import { ensureProgram } from '../cluster/binaries.ts';
import { checkout, ClusterError } from '../cluster/config.ts';
import { run } from '../cluster/run.ts';
import { buildDashboard } from '../dashboard/build.ts';
import { addProgram } from './program.ts';

interface Recipe {
  /** Folder under images/, with the Dockerfile. */
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
  // The same engine with another version, for tests of upgrades.
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
      // The client's libraries for other machines are ten times as large as all the rest.
      const ours = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
      cpSync(join(checkout, 'node_modules/tigerbeetle-node'), client, {
        recursive: true,
        filter: (path) => !/dist\/bin\/./.test(path) || path.includes(ours),
      });
      writeFileSync(join(rootfs, 'app/package.json'), '{ "type": "module" }\n');
    },
  },
  api: {
    folder: 'api',
    async fill(rootfs) {
      await nodeRuntime(rootfs);
      await addProgram(join(rootfs, 'app'), [
        'api',
        'base',
        'base/kube',
        'domain',
        'engine',
        'gen',
      ]);
      buildDashboard(join(rootfs, 'app/dashboard'));
    },
  },
  connect: {
    folder: 'connect',
    async fill(rootfs) {
      await nodeRuntime(rootfs);
      const folders = ['api/client', 'base', 'cli', 'clients', 'domain/import-files', 'gen'];
      await addProgram(join(rootfs, 'app'), folders);
    },
  },
  operator: {
    folder: 'operator',
    async fill(rootfs) {
      await nodeRuntime(rootfs);
      await addProgram(join(rootfs, 'app'), ['base', 'base/kube', 'domain', 'gen', 'operator']);
    },
  },
  // Debian's PostgreSQL, as installed on this machine.
  postgres: {
    folder: 'postgres',
    async fill(rootfs) {
      minimalRoot(rootfs);
      const [home, shared] = ['/usr/lib/postgresql/15', '/usr/share/postgresql/15'];
      if (!existsSync(`${home}/bin/postgres`)) {
        throw new ClusterError('the image needs Debian’s postgresql-15; run make setup');
      }
      // Programs find their libraries and shared files at the paths that they were built for.
      for (const folder of ['bin', 'lib']) {
        cpSync(join(home, folder), join(rootfs, home, folder), {
          recursive: true,
          dereference: true,
          filter: (path) => !/\/(bitcode|pgxs)(\/|$)|llvmjit/.test(path),
        });
      }
      cpSync(shared, join(rootfs, shared), {
        recursive: true,
        dereference: true,
        filter: (path) => !path.includes('/man/'),
      });
      for (const program of ['initdb', 'pg_ctl', 'postgres']) {
        await addLibraries(`${home}/bin/${program}`, rootfs);
      }
      for (const library of ['plpgsql.so', 'libpqwalreceiver.so', 'dict_snowball.so']) {
        await addLibraries(`${home}/lib/${library}`, rootfs);
      }
      for (const program of ['cat', 'mv', 'rm', 'sed', 'sh', 'sync']) {
        await addExecutable(`/bin/${program}`, join(rootfs, 'bin', program), rootfs);
      }
      cpSync('/usr/lib/locale/C.utf8', join(rootfs, 'usr/lib/locale/C.utf8'), { recursive: true });
      cpSync('/usr/share/zoneinfo', join(rootfs, 'usr/share/zoneinfo'), {
        recursive: true,
        dereference: true,
        filter: (path) => !/zoneinfo\/(posix|right)(\/|$)/.test(path),
      });
      cpSync(join(checkout, 'images/postgres/start.sh'), join(rootfs, 'start.sh'));
    },
  },
  // The operator as a later version, which would build other pods from the same resources: for tests of its upgrade.
  'operator-next': {
    folder: 'operator',
    async fill(rootfs) {
      await nodeRuntime(rootfs);
      await addProgram(join(rootfs, 'app'), ['base', 'base/kube', 'domain', 'gen', 'operator']);
      const manifests = join(rootfs, 'app/dist/operator/manifests');
      const grace = 'terminationGracePeriodSeconds: ';
      replaceIn(
        join(manifests, 'stateful-set.js'),
        /terminationGracePeriodSeconds: \d+/,
        `${grace}31`,
      );
      replaceIn(
        join(manifests, 'template.js'),
        /templateRevision = \d+/,
        'templateRevision = 1001',
      );
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
  s3: {
    folder: 's3',
    async fill(rootfs) {
      minimalRoot(rootfs);
      copyFileSync(await ensureProgram('versitygw'), join(rootfs, 'bin/versitygw'));
    },
  },
  // At the same path as in the upstream image.
  etcd: {
    folder: 'etcd',
    async fill(rootfs) {
      minimalRoot(rootfs);
      mkdirSync(join(rootfs, 'usr/local/bin'), { recursive: true });
      copyFileSync(await ensureProgram('etcd'), join(rootfs, 'usr/local/bin/etcd'));
    },
  },
  'tigerbeetle-double': tigerBeetleDouble('0.17.8'),
  'tigerbeetle-double-next': tigerBeetleDouble('0.17.9'),
};

function replaceIn(path: string, what: RegExp, by: string): void {
  const before = readFileSync(path, 'utf8');
  assert(what.test(before), `${path} has nothing like ${what.source}`);
  writeFileSync(path, before.replace(what, by));
}

/** `/tigerbeetle` of a release, with the POSIX shell that the operator expects in an engine's image. */
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

/** Adds the pinned Node, the libraries that it loads, and a user to run it. */
async function nodeRuntime(rootfs: string): Promise<void> {
  minimalRoot(rootfs);
  await addExecutable(process.execPath, join(rootfs, 'bin/node'), rootfs);
}

function minimalRoot(rootfs: string): void {
  for (const folder of ['bin', 'etc', 'tmp', 'data'])
    mkdirSync(join(rootfs, folder), { recursive: true });
  chmodSync(join(rootfs, 'tmp'), 0o1777);
  // The C library reads these files to resolve names of hosts, users and groups.
  writeFileSync(join(rootfs, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  writeFileSync(join(rootfs, 'etc/passwd'), 'nonroot:x:65532:65532:nonroot:/:/bin/false\n');
  writeFileSync(join(rootfs, 'etc/group'), 'nonroot:x:65532:\n');
}

/** Adds a program of this machine and the libraries that it is linked with. */
async function addExecutable(program: string, target: string, rootfs: string): Promise<void> {
  copyFileSync(realpathSync(program), target);
  await addLibraries(program, rootfs);
}

async function addLibraries(program: string, rootfs: string): Promise<void> {
  const linked = await run('ldd', [realpathSync(program)]);
  for (const [, library] of linked.matchAll(/(\/\S+\.so[.\d]*)/g)) {
    if (library === undefined || !existsSync(library)) continue;
    const copy = join(rootfs, library);
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(realpathSync(library), copy);
  }
}
