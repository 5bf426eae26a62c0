/** Runs what the pods of trials of rows run: the engine's own program, beside a control plane on which nothing runs. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '../../../domain/kinds.ts';
import type { Ending, Kubelet } from '../operator/kubelet.ts';
import { engineProgram } from './engine.ts';

/** Arguments of a Job's container, with the folders of this machine. */
export const argsHere = (
  args: readonly string[],
  folders: { readonly credentials: string; readonly data: string },
): readonly string[] =>
  args.map((arg) =>
    arg
      .replace(/^--credentials=.*/, `--credentials=${folders.credentials}`)
      .replace(/^\/data(?:\/.*)?$/, folders.data),
  );

/** Lets pods of trials run, and all others end as they do. `credentials`: folder with those of the store. */
export function runTrials(kubelet: Kubelet, credentials: string): void {
  const begun = new Map<string, Ending | 'runs'>();
  const before = kubelet.ending;
  kubelet.ending = (pod) => {
    const args = argsOf(pod);
    if (args === undefined) return before(pod);
    const name = pod.metadata.name ?? '';
    if (!begun.has(name)) {
      begun.set(name, 'runs');
      void run(args, credentials).then((ending) => begun.set(name, ending));
    }
    return begun.get(name);
  };
}

const argsOf = ({ spec }: Pod): readonly string[] | undefined => {
  const [container] = spec?.containers ?? [];
  return container?.name === 'trial' ? container.args : undefined;
};

async function run(args: readonly string[], credentials: string): Promise<Ending> {
  const data = mkdtempSync(join(tmpdir(), 'ledgerhouse-trial-'));
  const result = join(data, 'result');
  writeFileSync(result, '');
  const own = argsHere(args, { credentials, data }).map((arg) =>
    arg.replace(/^--result=.*/, `--result=${result}`),
  );
  try {
    const child = spawn(engineProgram, own, { stdio: 'ignore' });
    const exitCode = await new Promise<number>((resolve) => {
      child.on('exit', (code) => resolve(code ?? 1));
    });
    return { exitCode, message: readFileSync(result, 'utf8') };
  } finally {
    rmSync(data, { recursive: true });
  }
}
