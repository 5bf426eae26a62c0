/** What is in each image: files put together under a folder, from which both Docker and buildah build `FROM scratch`. */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { ensureProgram } from '../cluster/binaries.ts';
import { checkout } from '../cluster/config.ts';
import { run } from '../cluster/run.ts';
import { addProgram } from './program.ts';

/** Puts an image's files under `rootfs`. */
export type Recipe = (rootfs: string) => Promise<void>;

export const recipes: Readonly<Record<string, Recipe>> = {
  async pause(rootfs) {
    mkdirSync(rootfs, { recursive: true });
    cpSync(await ensureProgram('pause'), join(rootfs, 'pause'));
  },
  async engine(rootfs) {
    await nodeRuntime(rootfs);
    await addProgram(join(rootfs, 'app'), ['base', 'domain', 'engine', 'gen'], ['pino']);
  },
  async probe(rootfs) {
    await nodeRuntime(rootfs);
    mkdirSync(join(rootfs, 'app'));
    cpSync(join(checkout, 'images/probe/server.js'), join(rootfs, 'app/server.js'));
    writeFileSync(join(rootfs, 'app/package.json'), '{ "type": "module" }\n');
  },
};

/** The pinned Node, the libraries that it loads, and a user to run it as. */
async function nodeRuntime(rootfs: string): Promise<void> {
  for (const folder of ['bin', 'etc', 'tmp', 'data'])
    mkdirSync(join(rootfs, folder), { recursive: true });
  chmodSync(join(rootfs, 'tmp'), 0o1777);
  const node = join(rootfs, 'bin/node');
  copyFileSync(realpathSync(process.execPath), node);
  const linked = await run('ldd', [process.execPath]);
  for (const [, library] of linked.matchAll(/(\/\S+\.so[.\d]*)/g)) {
    if (library === undefined || !existsSync(library)) continue;
    const target = join(rootfs, library);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(realpathSync(library), target);
  }
  // Node resolves names by the C library, which loads these when asked for one.
  writeFileSync(join(rootfs, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  writeFileSync(join(rootfs, 'etc/passwd'), 'nonroot:x:65532:65532:nonroot:/:/bin/false\n');
  writeFileSync(join(rootfs, 'etc/group'), 'nonroot:x:65532:\n');
}
