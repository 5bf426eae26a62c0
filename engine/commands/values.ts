import type { HostPort } from '../../base/host-port.ts';
import { UsageError } from './verb.ts';

const u128Max = (1n << 128n) - 1n;

export function required(value: string | undefined, flag: string): string {
  if (value === undefined) throw new UsageError(`--${flag} is missing; see --help`);
  return value;
}

/** Parses a u128 in decimal. */
export function parseClusterId(text: string): bigint {
  if (!/^\d{1,39}$/.test(text) || BigInt(text) > u128Max) {
    throw new UsageError(`"${text}" is not a cluster id: give a decimal number below 2^128`);
  }
  return BigInt(text);
}

export function parseInteger(flag: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new UsageError(`--${flag} is "${text}"; it must be a number from ${min} to ${max}`);
  }
  return value;
}

/** Parses a number of bytes, with an optional KiB, MiB, GiB or TiB. */
export function parseSize(flag: string, text: string): number {
  const [, digits, unit] = /^(\d+)(KiB|MiB|GiB|TiB)?$/.exec(text) ?? [];
  const exponent = { KiB: 10, MiB: 20, GiB: 30, TiB: 40 }[unit ?? ''] ?? 0;
  if (digits === undefined)
    throw new UsageError(
      `--${flag} is "${text}"; it must be bytes, or a number with KiB, MiB, GiB or TiB`,
    );
  return Number(digits) * 2 ** exponent;
}

/** Parses the incarnation, which counts the logs that a database has had: u32, from 1, the default. */
export const parseIncarnation = (text = '1'): number =>
  parseInteger('incarnation', text, 1, 2 ** 32 - 1);

/** Parses an address as TigerBeetle's program takes it: `ip`, `ip:port`, `[v6]`, `[v6]:port` or a bare port; the defaults are 127.0.0.1 and 3001. Accepts no names. */
export function parseAddress(text: string): HostPort {
  const [, v6, v4, suffix, bare] =
    /^(?:(?:\[([0-9a-fA-F:.]+)\]|(\d+\.\d+\.\d+\.\d+))(?::(\d+))?|(\d+))$/.exec(text) ?? [];
  const port = Number(suffix ?? bare ?? 3001);
  const host = v6 ?? v4 ?? '127.0.0.1';
  if ((v6 ?? v4 ?? bare) === undefined || port > 65_535) {
    throw new UsageError(
      `"${text}" is not an address: give an IP address, an IP address with a port, or a port`,
    );
  }
  return { host, port };
}

export function parseAddresses(text: string): readonly HostPort[] {
  const addresses = text.split(',').map(parseAddress);
  if (addresses.length > 6)
    throw new UsageError(`--addresses has ${addresses.length} entries; the maximum is 6`);
  return addresses;
}
