/**
 * Reads a line of a program's log: JSON of pino (engine and agent) or of zap (etcd), TigerBeetle's own form, or plain text. The
 * result is bounded and holds no secret.
 */
import type { LogComponent } from '../model/log-line.ts';
import { redact, redactValue } from './redact.ts';

interface LogEntry {
  /** Level in the numbers of pino. */
  readonly level: number;
  readonly message: string;
  /** JSON of an object. */
  readonly attributes: string;
}

const messageMax = 4_000;
const attributesMax = 4_000;

const levels: ReadonlyMap<string, number> = new Map([
  ['trace', 10],
  ['debug', 20],
  ['info', 30],
  ['warn', 40],
  ['warning', 40],
  ['error', 50],
  ['err', 50],
  ['dpanic', 50],
  ['panic', 60],
  ['fatal', 60],
]);
const info = 30;

/** Fields that a line has elsewhere, or that say nothing about the database. */
const dropped = new Set([
  'level',
  'time',
  'ts',
  'msg',
  'message',
  'pid',
  'hostname',
  'v',
  'caller',
]);

/** `cutBytes`: bytes of the line that are not in the text. */
export function readEntry(component: LogComponent, text: string, cutBytes = 0): LogEntry {
  const fields = objectIn(text);
  const { level, msg = fields?.['message'] } = fields ?? {};
  if (fields === undefined || typeof msg !== 'string') return readPlain(component, text, cutBytes);
  const rest = Object.entries(fields).filter(([name]) => !dropped.has(name));
  return {
    level: levelOf(level),
    message: bounded(redact(msg), 0),
    attributes: attributesOf(Object.fromEntries(rest.map(withoutStack))),
  };
}

/** Begin of a line of TigerBeetle: `2026-11-23 08:00:00.000Z info(main): …`, the time with newer versions only. */
const tigerBeetle =
  /^(?:\d{4}-\d\d-\d\d[ T][\d:.]+Z?\s+)?(debug|info|warning|warn|error|err)(?:\((\w+)\))?: /;

function readPlain(component: LogComponent, text: string, cutBytes: number): LogEntry {
  const [begin = '', level, scope] = tigerBeetle.exec(text) ?? [];
  const isOwn = component === 'engine' && level !== undefined;
  return {
    level: isOwn ? (levels.get(level) ?? info) : info,
    message: bounded(redact(isOwn ? text.slice(begin.length) : text), cutBytes),
    attributes: attributesOf(isOwn && scope !== undefined ? { scope } : {}),
  };
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    // Not JSON: the text itself is shown.
    return undefined;
  }
}

const levelOf = (level: unknown): number =>
  typeof level === 'number'
    ? Math.max(10, Math.min(60, Math.floor(level)))
    : ((typeof level === 'string' ? levels.get(level.toLowerCase()) : undefined) ?? info);

/** The stack of an error is about the program's text, not about the database. */
function withoutStack([name, value]: [string, unknown]): [string, unknown] {
  if (typeof value !== 'object' || value === null || !('stack' in value)) return [name, value];
  const { stack: _stack, ...rest } = value;
  return [name, rest];
}

function attributesOf(fields: Readonly<Record<string, unknown>>): string {
  const text = JSON.stringify(redactValue(fields));
  return text.length <= attributesMax
    ? text
    : JSON.stringify({ leftOut: `attributes of ${text.length} characters` });
}

/** PostgreSQL holds neither NUL nor half of a surrogate pair. */
function bounded(text: string, cutBytes: number): string {
  const whole = text.replaceAll('\0', '\uFFFD').toWellFormed();
  const cut = Math.max(0, whole.length - messageMax);
  if (cut + cutBytes === 0) return whole;
  return `${whole.slice(0, messageMax).toWellFormed()} … (${cut + cutBytes} more)`;
}
