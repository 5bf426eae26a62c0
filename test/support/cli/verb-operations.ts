/**
 * The operations of the HTTP contract that each verb of the command-line tool calls, read from the sources of the tool.
 *
 * A verb is one command, such as `keys revoke`. Its handler is found by identity: the function that the command loads is an export
 * of a file. From there, each name that a declaration uses leads to the declaration of that name, in the same file or in the one
 * that it is imported from. A declaration calls an operation where it makes a `contractRequest`, whose types allow only paths of
 * the contract, or where it builds the path itself. A call that cannot be read is an error, not a call that is left out.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command, Place } from '../../../cli/command.ts';
import { placesOf } from '../../../cli/command-line.ts';
import { commands } from '../../../cli/commands.ts';
import { checkout } from '../shell.ts';

export interface Operation {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
}

export interface Verb {
  readonly words: string;
  readonly node: Command;
  readonly operations: readonly Operation[];
  /** Whether its handler uses the helper that prints the request of `--dry-run`. */
  readonly asksForDryRun: boolean;
}

/** All operations of the contract. */
export function contractOperations(): readonly Operation[] {
  const text = readFileSync(join(checkout, 'gen/openapi.json'), 'utf8');
  const { paths } = JSON.parse(text) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId?: string }>>>>;
  };
  return Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).flatMap(([method, { operationId }]) =>
      operationId === undefined ? [] : [{ id: operationId, method: method.toUpperCase(), path }],
    ),
  );
}

/** All verbs of the tool. */
export async function verbs(): Promise<readonly Verb[]> {
  const files = readSources();
  const origins = await handlerOrigins(files);
  const operations = contractOperations();
  return Promise.all(
    placesOf(commands).map(async (place) => {
      const used = reachable(files, await originOf(place, origins));
      const calls = new Set(used.flatMap((declared) => callsIn(files, declared)));
      const called = [...calls].flatMap((one) => operationsOf(one, place, operations));
      return {
        words: place.words.join(' '),
        node: place.node,
        operations: [...new Set(called)],
        asksForDryRun: used.some(({ name }) => name === 'isDryRun'),
      };
    }),
  );
}

interface Declared {
  readonly file: string;
  readonly name: string;
  readonly text: string;
}

interface Source {
  readonly declarations: ReadonlyMap<string, Declared>;
  /** Names of this file, and where they come from. */
  readonly imports: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
}

type Sources = ReadonlyMap<string, Source>;

const declaration =
  /^(?:export )?(?:default )?(?:async )?(?:const|let|function\*?|class|type|interface) (\w+)/gm;

/** Top-level declarations begin in the first column, which the formatter keeps. */
function readSources(): Sources {
  const names = globSync('cli/**/*.ts', { cwd: checkout }).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  return new Map(
    names.map((file) => {
      const text = withoutComments(readFileSync(join(checkout, file), 'utf8'));
      const starts = [...text.matchAll(declaration)];
      const declarations = starts.map(({ index, 1: name = '' }, at): [string, Declared] => [
        name,
        { file, name, text: text.slice(index, starts[at + 1]?.index) },
      ]);
      return [file, { declarations: new Map(declarations), imports: importsOf(file, text) }];
    }),
  );
}

const withoutComments = (text: string): string =>
  text.replaceAll(/^\s*\/\*\*?[\s\S]*?\*\/$/gm, '').replaceAll(/^\s*\/\/.*$/gm, '');

function importsOf(file: string, text: string): Source['imports'] {
  const imports = [...text.matchAll(/^import (?:type )?\{([^}]*)\} from '(\.[^']+)';$/gm)];
  return new Map(
    imports.flatMap(([, list = '', from = '']) =>
      list
        .split(',')
        .map((one) => one.trim().replace(/^type /, ''))
        .filter((one) => one !== '')
        .map((one) => {
          const [name = '', local = name] = one.split(' as ');
          return [local, { file: join(dirname(file), from), name }] as const;
        }),
    ),
  );
}

/** Each exported function, and the declaration that it is. */
async function handlerOrigins(files: Sources): Promise<ReadonlyMap<unknown, Declared>> {
  const origins = new Map<unknown, Declared>();
  for (const [file, { declarations }] of files) {
    if (!file.startsWith('cli/handlers/')) continue;
    const module = (await import(pathToFileURL(join(checkout, file)).href)) as object;
    for (const [name, value] of Object.entries(module)) {
      const declared = declarations.get(name);
      if (declared !== undefined) origins.set(value, declared);
    }
  }
  return origins;
}

/** Handlers that are made for a command, such as those of the ledger, have the declaration that their command names. */
async function originOf(
  { node, words }: Place<Command>,
  origins: ReadonlyMap<unknown, Declared>,
): Promise<Declared> {
  const declared =
    origins.get(await node.load()) ??
    [...origins.values()].find(({ name }) => node.load.toString().includes(`.${name}(`));
  if (declared === undefined) throw new Error(`the handler of ${words.join(' ')} is not found`);
  return declared;
}

const quoted = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g;

/** The declaration, and all that it uses. */
function reachable(files: Sources, first: Declared): readonly Declared[] {
  const seen = new Set([first]);
  // A set gives also the members that are added meanwhile.
  for (const { file, text } of seen) {
    for (const [name = ''] of text.replaceAll(quoted, '').matchAll(/(?<![.\w])[A-Za-z_]\w*/g)) {
      const used = resolved(files, file, name);
      if (used !== undefined) seen.add(used);
    }
  }
  return [...seen];
}

function resolved(files: Sources, file: string, name: string): Declared | undefined {
  const source = files.get(file);
  const from = source?.imports.get(name);
  return from === undefined
    ? source?.declarations.get(name)
    : files.get(from.file)?.declarations.get(from.name);
}

/** Method and path, in which `{}` is any segment: `GET /api/v1/jobs/{}`. */
type Call = string;

function callsIn(files: Sources, declared: Declared): readonly Call[] {
  const { file, text } = declared;
  if (file === 'cli/http/contract.ts') return [];
  const requests = [
    ...text.matchAll(/\bcontractRequest\(\s*('\w+'|\w+),\s*(`[^`]*`|'[^']*'|\w+)/g),
  ];
  const count = text.match(/\bcontractRequest\(/g)?.length ?? 0;
  if (requests.length !== count) throw unreadable(declared, 'a request of the contract');
  const built = [
    ...text.matchAll(/`(?:\$\{settings\.baseUrl\})?(\/api\/v1\/[^`?]*)[^`]*`/g),
  ].filter(
    ({ index }) => !requests.some((one) => index > one.index && index < one.index + one[0].length),
  );
  return [
    ...requests.map(([, verb = '', path = '']) => {
      if (!verb.startsWith("'")) throw unreadable(declared, `the method ${verb}`);
      return call(verb.slice(1, -1).toUpperCase(), constant(files, declared, path));
    }),
    ...built.map(([, path = '']) => {
      const method = /\bmethod: '([A-Z]+)'/.exec(text)?.[1];
      if (method === undefined) throw unreadable(declared, `the method for ${path}`);
      return call(method, path.replaceAll(/\$\{(?:[^{}]|\{[^}]*\})*\}/g, '{}'));
    }),
  ];
}

/** The text of a literal, or of a constant of the same declaration or file. */
function constant(files: Sources, declared: Declared, expression: string): string {
  if (expression.startsWith("'")) return expression.slice(1, -1);
  if (expression.startsWith('`')) {
    return expression
      .slice(1, -1)
      .replaceAll(/\$\{(\w+)\}/g, (_, name: string) => constant(files, declared, name));
  }
  const places = [declared.text, files.get(declared.file)?.declarations.get(expression)?.text];
  for (const text of places) {
    const value = new RegExp(`\\bconst ${expression} =\\s*('[^']*'|\`[^\`]*\`)`).exec(
      text ?? '',
    )?.[1];
    if (value !== undefined) return constant(files, declared, value);
  }
  throw unreadable(declared, `the path ${expression}`);
}

const unreadable = ({ file, name }: Declared, what: string): Error =>
  new Error(`${file}, ${name}: ${what} cannot be read from the source`);

const call = (method: string, path: string): Call =>
  `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`;

/**
 * The operations that a call may be. A part of a path that the verb chooses when it runs is named as the verb is: `tb
 * create-accounts` calls `create_accounts`.
 */
function operationsOf(
  one: Call,
  { words }: Place,
  operations: readonly Operation[],
): readonly Operation[] {
  const exact = operations.filter(({ method, path }) => call(method, path) === one);
  if (exact.length > 0) return exact;
  const segments = one.split('/');
  const fitting = operations.filter(({ method, path }) => {
    const parts = call(method, path).split('/');
    return (
      parts.length === segments.length &&
      parts.every((part, at) => part === segments[at] || segments[at] === '{}')
    );
  });
  if (fitting.length === 0) throw new Error(`no operation of the contract is ${one}`);
  const chosen = words.at(-1)?.replaceAll('-', '_') ?? '';
  return fitting.filter(({ path }) => path.endsWith(`/${chosen}`));
}
