/**
 * `kubectl ledgerhouse COMMAND [NAME] [flags]`: the most frequent questions of a cluster's administrator about a database. It
 * runs kubectl with the caller's rights and context.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printableLines } from '../../cli/output/printable.ts';
import type { KubeObject } from '../../base/kube/kube.ts';
import { ConditionType } from '../../domain/conditions.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { labels, managedBy, operatorName } from '../../domain/names.ts';
import { databaseOf, ownFlags, UsageError, type Asked, type Command } from './asked.ts';
import { backupCommands } from './backup.ts';
import { KubectlFailed, kubectlWith, type Kubectl } from './kubectl.ts';
import { statusText, treeText, withoutSecrets } from './say.ts';

const usage = `kubectl ledgerhouse status [NAME]    conditions and replicas; without a name, of all databases of the namespace
kubectl ledgerhouse tree NAME        all objects that the database is made of
kubectl ledgerhouse logs NAME        the last lines of each replica's containers
kubectl ledgerhouse suspend NAME     stops the replicas; volumes and addresses stay
kubectl ledgerhouse resume NAME      starts them again
kubectl ledgerhouse pause NAME       the operator leaves the database alone, which runs on; prints the work left undone
kubectl ledgerhouse unpause NAME     the operator sees to it again
kubectl ledgerhouse report NAME      a folder for support: objects, events, logs; no Secret and no value of an environment variable

kubectl ledgerhouse backup create NAME           backs the database up, and waits for the end
                                                 --name BACKUP; --retention-days DAYS; --protected; --files (data files of TigerBeetle)
kubectl ledgerhouse backup list [NAME]           the backups of a database, or of all of the namespace; the newest first
kubectl ledgerhouse backup show BACKUP           one backup
kubectl ledgerhouse backup verify BACKUP         tests it by restoring it, and waits for the result
kubectl ledgerhouse backup restore-preview NAME  the moments that the database can be restored to; with --to-time TIME, --to-timestamp NS or
                                                 --to-op OP what a restore to that moment begins with

Flags: -n, --namespace; --context; --kubeconfig; --no-wait and --wait-minutes MINUTES (60) of backup create and verify;
--output FOLDER and --operator-namespace (ledgerhouse-system) of report`;

/**
 * Kinds of objects that belong to a database. Secrets are left out: nobody needs their names, and few have the right to read
 * them.
 */
const kinds =
  'pods,services,statefulsets,jobs,persistentvolumeclaims,configmaps,poddisruptionbudgets,networkpolicies';
const tail = '--tail=500';
const seenDeadline = '--timeout=30s';

function readArguments() {
  const text = { type: 'string' } as const;
  let parsed;
  try {
    parsed = parseArgs({
      allowPositionals: true,
      options: {
        namespace: { type: 'string', short: 'n' },
        context: text,
        kubeconfig: text,
        ...ownFlags,
      },
    });
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`, {
      cause: error,
    });
  }
  const { values, positionals } = parsed;
  const words = positionals[0] === 'backup' ? 2 : 1;
  const verb = positionals.slice(0, words).join(' ');
  const [name = '', ...more] = positionals.slice(words);
  const command = Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  if (command === undefined || more.length > 0 || (name === '' && command.mayOmitName !== true)) {
    throw new UsageError(usage);
  }
  const own = Object.keys(ownFlags) as (keyof typeof ownFlags)[];
  const foreign = own.find((flag) => values[flag] !== undefined && !command.flags?.includes(flag));
  if (foreign !== undefined) {
    throw new UsageError(`kubectl ledgerhouse ${verb} has no flag --${foreign}\n\n${usage}`);
  }
  const flags = (['namespace', 'context', 'kubeconfig'] as const).flatMap((flag) => {
    const value = values[flag];
    return value === undefined ? [] : [`--${flag}=${value}`];
  });
  const asked: Asked = {
    kubectl: kubectlWith(flags),
    name,
    text: (flag) => {
      const value = values[flag];
      return typeof value === 'string' ? value : undefined;
    },
    has: (flag) => values[flag] === true,
  };
  return { command, asked };
}

const commands: Readonly<Record<string, Command>> = {
  status: { run: status, mayOmitName: true },
  tree: { run: tree },
  logs: { run: logs },
  suspend: { run: suspend },
  resume: { run: resume },
  pause: { run: pause },
  unpause: { run: unpause },
  report: { run: report, flags: ['output', 'operator-namespace'] },
  ...backupCommands,
};

const listOf = async (kubectl: Kubectl, ...args: readonly string[]) =>
  (JSON.parse(await kubectl('get', ...args, '-o', 'json')) as { items: KubeObject[] }).items;
const ownSelector = ({ metadata: { uid } }: DatabaseObject) =>
  `${labels.managedBy}=${managedBy},${labels.uid}=${uid}`;

async function status(asked: Asked): Promise<string> {
  if (asked.name !== '') return statusText(await databaseOf(asked));
  const all = (await listOf(asked.kubectl, 'ledgerdatabases')) as DatabaseObject[];
  return all.map(statusText).join('\n\n') || 'there is no database in this namespace';
}

async function tree(asked: Asked): Promise<string> {
  const database = await databaseOf(asked);
  return treeText(database, await listOf(asked.kubectl, kinds, '-l', ownSelector(database)));
}

async function logs(asked: Asked): Promise<string> {
  const database = await databaseOf(asked);
  const selector = ownSelector(database);
  return asked.kubectl('logs', '-l', selector, '--all-containers', '--prefix', tail);
}

function suspend(asked: Asked): Promise<string> {
  return patched(asked, { suspend: true });
}

function resume(asked: Asked): Promise<string> {
  return patched(asked, { suspend: false });
}

/** Reports the unfinished work once the operator has seen the pause: until then it may still be working. */
async function pause(asked: Asked): Promise<string> {
  const { kubectl, name } = asked;
  const said = await patched(asked, { paused: true });
  const wait = ['wait', '--for=condition=Paused', `ledgerdatabase/${name}`, seenDeadline] as const;
  await kubectl(...wait).catch((error: unknown) => {
    throw new KubectlFailed(
      `${said}, but the operator has not said within half a minute that it leaves the database alone: look whether the operator ` +
        `runs; kubectl ledgerhouse status ${name} shows its state (${String(error)})`,
    );
  });
  const { status = {} } = await databaseOf(asked);
  const told = status.conditions?.find(({ type }) => type === ConditionType.Paused);
  return `${said}\n${told?.message ?? ''}`;
}

function unpause(asked: Asked): Promise<string> {
  return patched(asked, { paused: false });
}

async function patched({ kubectl, name }: Asked, spec: object): Promise<string> {
  const patch = JSON.stringify({ spec });
  return (await kubectl('patch', 'ledgerdatabase', name, '--type=merge', '-p', patch)).trim();
}

/** Each part is read separately, so that an unreadable log does not prevent the rest. */
async function report(asked: Asked): Promise<string> {
  const { kubectl, name } = asked;
  const operatorNamespace = asked.text('operator-namespace') ?? 'ledgerhouse-system';
  const database = await databaseOf(asked);
  const folder = asked.text('output') ?? `ledgerhouse-report-${name}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const there = `--namespace=${operatorNamespace}`;
  const parts: Readonly<Record<string, () => Promise<string>>> = {
    'status.txt': () => Promise.resolve(statusText(database)),
    'database.json': () => Promise.resolve(json(database)),
    'objects.json': async () => json(await listOf(kubectl, kinds, '-l', ownSelector(database))),
    'events.txt': () => kubectl('get', 'events', '--sort-by=.lastTimestamp'),
    'replicas.log': () => logs(asked),
    'operator.log': () =>
      kubectl(there, 'logs', '-l', `app.kubernetes.io/name=${operatorName}`, '--prefix', tail),
    'catalog.json': async () =>
      json(JSON.parse(await kubectl('get', 'lcat', 'default', '-o', 'json'))),
    'versions.txt': () => kubectl('version'),
  };
  for (const [file, read] of Object.entries(parts)) {
    const content = await read().catch((error: unknown) => `not read: ${String(error)}`);
    writeFileSync(join(folder, file), content, { mode: 0o600 });
  }
  return `${folder}: ${Object.keys(parts).join(', ')}. Read it before you send it: logs have names and addresses.`;
}

const json = (value: unknown) => JSON.stringify(withoutSecrets(value), undefined, 2);

try {
  const { command, asked } = readArguments();
  console.log(printableLines(await command.run(asked)));
} catch (error) {
  if (!(error instanceof UsageError || error instanceof KubectlFailed)) throw error;
  console.error(printableLines(error.message));
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
