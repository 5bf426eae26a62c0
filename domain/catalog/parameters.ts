/** Checks a database's engine parameters against the catalog's closed list. */
import type { CatalogSpec } from '../custom-resources.ts';
import { problem, type Problem } from './problem.ts';

type Parameter = NonNullable<CatalogSpec['engines'][number]['parameters']>[number];

const units: Readonly<Record<string, bigint>> = {
  KiB: 1n << 10n,
  MiB: 1n << 20n,
  GiB: 1n << 30n,
  TiB: 1n << 40n,
};

/** Returns the engine's flags by parameter name. Parameters that were resolved before stay as they were. */
export function resolveParameters(
  known: readonly Parameter[],
  wanted: Readonly<Record<string, string>>,
  previous: Readonly<Record<string, string>>,
): { flags: Record<string, string>; problems: Problem[] } {
  const flags: Record<string, string> = {};
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(wanted).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const field = `spec.parameters.${name}`;
    const before = previous[name];
    if (before !== undefined && before.slice(before.indexOf('=') + 1) === value) {
      flags[name] = before;
      continue;
    }
    const parameter = known.find((row) => row.name === name);
    if (parameter === undefined) {
      const names = known.map((row) => row.name);
      problems.push(
        problem(field, 'UnknownParameter', `the engine has no parameter "${name}"`, names),
      );
      continue;
    }
    const wrong = refusal(parameter, value);
    if (wrong === undefined) flags[name] = `${parameter.flag}=${value}`;
    else problems.push(problem(field, 'InvalidParameter', `parameter "${name}" ${wrong}`));
  }
  return { flags, problems };
}

function refusal(parameter: Parameter, value: string): string | undefined {
  if (parameter.type === 'boolean') {
    return value === 'true' || value === 'false' ? undefined : 'must be true or false';
  }
  const number = parameter.type === 'size' ? sizeOf(value) : integerOf(value);
  if (number === undefined) {
    return parameter.type === 'size'
      ? 'must be a whole number with KiB, MiB, GiB or TiB, such as 512MiB'
      : 'must be a whole number';
  }
  const { minimum, maximum } = parameter;
  if (minimum !== undefined && number < BigInt(minimum)) return `must be at least ${minimum}`;
  if (maximum !== undefined && number > BigInt(maximum)) return `must be at most ${maximum}`;
  return undefined;
}

function sizeOf(value: string): bigint | undefined {
  const [, count, unit = ''] = /^(\d{1,15})(KiB|MiB|GiB|TiB)$/.exec(value) ?? [];
  return count === undefined ? undefined : BigInt(count) * (units[unit] ?? 1n);
}

const integerOf = (value: string) => (/^\d{1,18}$/.test(value) ? BigInt(value) : undefined);
