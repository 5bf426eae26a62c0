/** Parses an engine's status. A wrong answer of an engine becomes a problem with a message, never a crash of the reader. */
import { EngineWarning, ReplicaRole, type EngineStatus, type Usage } from './engine-status.ts';

export interface StatusProblem {
  readonly problem: string;
}

const shortMax = 64;
const replicasMax = 6;
const u128Max = (1n << 128n) - 1n;

export function parseEngineStatus(json: unknown): EngineStatus | StatusProblem {
  if (typeof json !== 'object' || json === null) return { problem: 'the status is no object' };
  const reader = new Reader(json as Readonly<Record<string, unknown>>);
  const replicaCount = reader.count('replicaCount', { min: 1, max: replicasMax });
  const status: EngineStatus = {
    engine: reader.oneOf('engine', ['Builtin', 'TigerBeetle']),
    version: reader.text('version'),
    release: reader.text('release', /^\d{1,5}\.\d{1,3}\.\d{1,3}$/),
    clusterId: reader.u128('clusterId'),
    replicaIndex: reader.count('replicaIndex', { max: replicaCount - 1 }),
    replicaCount,
    role: reader.oneOf('role', Object.values(ReplicaRole)),
    view: reader.count('view'),
    op: reader.count('op'),
    commit: reader.count('commit'),
    checkpoint: reader.count('checkpoint'),
    syncing: reader.flag('syncing'),
    warnings: reader.warnings(),
    storage: reader.usage('storage'),
    ...reader.optional('stateHash', (name) => reader.text(name, /^[0-9a-f]{32}$/)),
    ...reader.optional('acceptsWrites', (name) => reader.flag(name)),
    ...reader.optional('clockAgrees', (name) => reader.flag(name)),
    ...reader.optional('clockOffsetMs', (name) =>
      reader.count(name, { min: Number.MIN_SAFE_INTEGER }),
    ),
    ...reader.optional('sessions', (name) => reader.count(name)),
    ...reader.optional('connections', (name) => reader.count(name)),
    ...reader.optional('accounts', (name) => reader.count(name)),
    ...reader.optional('transfers', (name) => reader.count(name)),
    ...reader.optional('memory', (name) => reader.usage(name)),
  };
  return reader.wrong === undefined
    ? status
    : { problem: `the status has no valid ${reader.wrong}` };
}

/** Reads fields and records the first invalid one, whose returned value must not be used. */
class Reader {
  wrong: string | undefined;
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.#fields = fields;
  }

  /** Reads a field that not every engine reports. Returns an empty object if it is absent. */
  optional<Name extends string, T>(name: Name, read: (name: Name) => T): Partial<Record<Name, T>> {
    if (this.#fields[name] === undefined) return {};
    return { [name]: read(name) } as Record<Name, T>;
  }

  text(name: string, pattern = /^[\x20-\x7e]+$/): string {
    const value = this.#fields[name];
    if (typeof value === 'string' && value.length <= shortMax && pattern.test(value)) return value;
    return this.#refuse(name, '');
  }

  u128(name: string): string {
    const digits = this.text(name, /^(0|[1-9]\d{0,38})$/);
    return BigInt(digits) <= u128Max ? digits : this.#refuse(name, digits);
  }

  count(name: string, { min = 0, max = Number.MAX_SAFE_INTEGER } = {}): number {
    const value = this.#fields[name];
    if (Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max) {
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

  /** Unknown words of a newer engine are left out rather than refused. */
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
