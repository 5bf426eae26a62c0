/** Schemathesis, which makes requests out of an OpenAPI document and judges the answers by it. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../../../tools/cluster/config.ts';
import { withLock } from '../../../../tools/cluster/lock.ts';
import { mustRun, shell, type Ended } from '../../shell.ts';

const here = import.meta.dirname;
const requirements = join(here, 'requirements.txt');

/** Installs what `requirements.txt` pins into a folder of the user's cache, once, and gives the program's path. */
async function ensureSchemathesis(): Promise<string> {
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = join(cacheFolder, 'python', `schemathesis-${hash}`);
  const program = join(folder, 'bin/schemathesis');
  const done = join(folder, 'complete');
  mkdirSync(join(cacheFolder, 'python'), { recursive: true });
  await withLock(join(cacheFolder, 'python', 'schemathesis.lock'), async () => {
    if (existsSync(done)) return;
    // Programs of an environment hold its path: it cannot be made elsewhere and moved.
    rmSync(folder, { recursive: true, force: true });
    await mustRun('python3', ['-m', 'venv', folder]);
    const pip = ['install', '--quiet', '--disable-pip-version-check', '--require-hashes'];
    await mustRun(join(folder, 'bin/pip'), [...pip, '--only-binary=:all:', '-r', requirements], {
      timeoutMs: 600_000,
    });
    writeFileSync(`${done}.new`, '');
    renameSync(`${done}.new`, done);
  });
  return program;
}

interface Fuzzing {
  /** Address of the document. */
  readonly url: string;
  /** For the configuration and what is said. */
  readonly folder: string;
  /** Sent with each request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly seed: number;
  /** Drawn requests of an operation; those for the bounds of the document come on top. */
  readonly examples: number;
  /** One in so many of the requests for the bounds of the document is sent: 1 for all. */
  readonly share: number;
  /** Things that are there, by the parameter that names them: of all operations, or of one by its operationId. */
  readonly ids: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** In the words of Schemathesis' own configuration (TOML). */
  readonly configuration: string;
  /** More of its options. */
  readonly options?: readonly string[];
}

/** Ends with 0 when every answer was as the document says. */
export async function fuzz(fuzzing: Fuzzing): Promise<Ended> {
  const program = await ensureSchemathesis();
  const file = join(fuzzing.folder, 'schemathesis.toml');
  const hooks = JSON.stringify(join(here, 'hooks.py'));
  writeFileSync(file, `hooks = ${hooks}\n[cache]\nenabled = false\n${fuzzing.configuration}`);
  const headers = Object.entries(fuzzing.headers).flatMap((pair) => ['-H', pair.join(':')]);
  const options = {
    seed: String(fuzzing.seed),
    'max-examples': String(fuzzing.examples),
    checks: 'all',
    phases: 'examples,coverage,fuzzing',
    // One: Python 3.11 now and then fails to parse what two threads parse at once.
    workers: '1',
    // An answer may take long on a busy machine; how long is not what is judged here.
    'request-timeout': '120',
    'generation-database': 'none',
    'generation-with-security-parameters': 'false',
  };
  return shell(
    program,
    [
      '--config-file',
      file,
      'run',
      fuzzing.url,
      '--no-color',
      '--continue-on-failure',
      ...Object.entries(options).map(([name, value]) => `--${name}=${value}`),
      ...headers,
      ...(fuzzing.options ?? []),
    ],
    // For what hangs: it takes a thirtieth of this on a machine that has nothing else to do.
    {
      timeoutMs: 1_500_000,
      env: {
        FUZZED_IDS: JSON.stringify(fuzzing.ids),
        FUZZED_SEED: String(fuzzing.seed),
        FUZZED_SHARE: String(fuzzing.share),
        HYPOTHESIS_STORAGE_DIRECTORY: fuzzing.folder,
      },
    },
  );
}
