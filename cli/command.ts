/** A command of the tool as data, from which help, completion, the reference page and the parser are made. */
import type { Context } from './context.ts';
import type { Input } from './input.ts';

export interface Option {
  /** Name without dashes. */
  readonly name: string;
  readonly short?: string;
  /** Placeholder of the value in help. Without it the option takes no value. */
  readonly value?: string;
  readonly summary: string;
  readonly repeatable?: boolean;
  /** For completion only; the handler checks the value. */
  readonly choices?: readonly string[];
}

export interface Argument {
  /** Placeholder in help, such as `database-id`. */
  readonly name: string;
  readonly optional?: boolean;
  readonly repeatable?: boolean;
  readonly choices?: readonly string[];
}

export interface Example {
  readonly command: string;
  readonly says?: string;
}

/** Returns an `ExitCode`, or the exit status of a command that it ran. */
export type Handler = (context: Context, input: Input) => Promise<number> | number;

export interface Command {
  readonly kind: 'command';
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly arguments: readonly Argument[];
  /** Options of this command; the global ones are added. */
  readonly options: readonly Option[];
  readonly examples: readonly [Example, ...Example[]];
  /** Handlers are loaded when they run, so that help and completion start fast. */
  load(): Promise<Handler>;
}

export interface Group {
  readonly kind: 'group';
  readonly name: string;
  readonly summary: string;
  readonly children: readonly Node[];
}

export type Node = Command | Group;

/** A command or group with the words that lead to it: `['tb', 'create-accounts']`. */
export interface Place<T extends Node = Node> {
  readonly node: T;
  readonly words: readonly string[];
}

export const globalOptions: readonly Option[] = [
  { name: 'base-url', short: 'b', value: 'url', summary: 'service base URL' },
  {
    name: 'api-key',
    value: 'key',
    summary:
      'API key; other users of this machine can see it, so prefer LEDGERHOUSE_API_KEY or a profile',
  },
  { name: 'profile', value: 'name', summary: 'profile to use' },
  {
    name: 'organization',
    value: 'id',
    summary: 'organization to act for, if you belong to several',
  },
  { name: 'json', summary: 'print the full raw API response' },
  { name: 'quiet', short: 'q', summary: 'print the result only: no headers, notes or progress' },
  { name: 'verbose', short: 'v', summary: 'show requests and responses on stderr, without keys' },
  { name: 'no-retry', summary: 'give up after the first attempt' },
  { name: 'help', short: 'h', summary: 'show help' },
];
