/** Reads what an engine says of itself. An engine that answers wrongly is a problem with words, never a crash of its reader. */
import { EngineWarning, ReplicaRole, type EngineStatus, type Usage } from './engine-status.ts';

export interface StatusProblem {
  readonly problem: string;
}

const shortMax = 64;

export function parseEngineStatus(json: unknown): EngineStatus | StatusProblem {
  if (typeof json !== 'object' || json === null) return { problem: 'the status is no object' };
  const reader = new Reader(json as Readonly<Record<string, unknown>>);
  const stateHash = reader.optional('stateHash', (name) => reader.text(name, /^[0-9a-f]{32}$/));
  const sessions = reader.optional('sessions', (name) => reader.count(name));
  const status: EngineStatus = {
    engine: reader.oneOf('engine', ['Builtin', 'TigerBeetle']),
    version: reader.text('version'),
    release: reader.text('release'),
    clusterId: reader.text('clusterId', /^(0|[1-9]\d{0,38})$/),
    replicaIndex: reader.count('replicaIndex', 5),
    replicaCount: reader.count('replicaCount', 6),
    role: reader.oneOf('role', Object.values(ReplicaRole)),
    view: reader.count('view'),
    op: reader.count('op'),
    commit: reader.count('commit'),
    checkpoint: reader.count('checkpoint'),
    syncing: reader.flag('syncing'),
    ...(stateHash === undefined ? {} : { stateHash }),
    acceptsWrites: reader.flag('acceptsWrites'),
    warnings: reader.warnings(),
    ...(sessions === undefined ? {} : { sessions }),
    connections: reader.count('connections'),
    accounts: reader.count('accounts'),
    transfers: reader.count('transfers'),
    memory: reader.usage('memory'),
    storage: reader.usage('storage'),
  };
  return reader.wrong === undefined ? status : { problem: `the status has no valid ${reader.wrong}` };
}

/** Notes the first field that is not as it should be; what it returns for that one is never used. */
class Reader {
  wrong: string | undefined;
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields;
  }

  optional<T>(name: string, read: (name: string) => T): T | undefined {
    return this.#fields[name] === undefined ? undefined : read(name);
  }

  text(name: string, pattern = /^[\x20-\x7e]+$/): string {
    const value = this.#fields[name];
    if (typeof value === 'string' && value.length <= shortMax && pattern.test(value)) return value;
    return this.#refuse(name, '');
  }

  count(name: string, max = Number.MAX_SAFE_INTEGER): number {
    const value = this.#fields[name];
    if (Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max) {
      return Number(value);
    }
    return this.#refuse(name, 0);
  }

  flag(name: string): boolean {
    const value = this.#fields[name];
    return typeof value === 'boolean' ? value : this.#refuse(name, false);
  }

  oneOf<T extends string>(name: string, values: readonly T[]): T {
    const found = values.find((value) => value === this.#fields[name]);
    return found ?? this.#refuse(name, values[0] as T);
  }

  /** Words of a newer engine are left out rather than refused. */
  warnings(): EngineWarning[] {
    const value = this.#fields['warnings'];
    if (!Array.isArray(value) || value.length > 32) return this.#refuse('warnings', []);
    return Object.values(EngineWarning).filter((known) => value.includes(known));
  }

  usage(name: string): Usage {
    const value = this.#fields[name];
    if (typeof value !== 'object' || value === null) {
      return this.#refuse(name, { usedBytes: 0, limitBytes: 0 });
    }
    const inner = new Reader(value as Readonly<Record<string, unknown>>);
    const usage = { usedBytes: inner.count('usedBytes'), limitBytes: inner.count('limitBytes') };
    return inner.wrong === undefined ? usage : this.#refuse(`${name}.${inner.wrong}`, usage);
  }

  #refuse<T>(name: string, instead: T): T {
    this.wrong ??= name;
    return instead;
  }
}
