/** Turns Zod's findings into the errors of a problem: the place, the rule (a stable code), and the valid values. */
import { z } from 'zod';
import { assertNever } from '../../base/assert.ts';
import type { FieldError } from '../model/refusal.ts';

/** Maximum number of errors in one problem. */
const errorsMax = 20;

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

interface Finding {
  readonly path: Path;
  readonly code: string;
  readonly detail: string;
  readonly meta?: Readonly<Record<string, unknown>>;
}

function findingsOf(error: z.ZodError, value: unknown): readonly Finding[] {
  const all = error.issues.flatMap((issue) => findings(issue, value));
  // An integer beyond the exact range also exceeds its own maximum. That error comes later and says more, so it wins.
  const byPlace = new Map(all.map((one) => [`${one.code} ${one.path.join('/')}`, one]));
  return [...byPlace.values()].slice(0, errorsMax);
}

/** `schema` is that of the whole body. For an unknown property, the problem lists the known ones. */
export function bodyErrors(
  error: z.ZodError,
  value: unknown,
  schema: z.ZodType,
): readonly FieldError[] {
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  return findingsOf(error, value).map(({ path, code, detail, ...rest }) => ({
    pointer: pointer(path),
    code,
    detail:
      code === 'unknown_property' && path.length === 1 && known.length > 0
        ? `The property is unknown here; known are ${known.join(', ')}.`
        : detail,
    ...rest,
  }));
}

export const queryErrors = (error: z.ZodError, value: unknown): readonly FieldError[] =>
  findingsOf(error, value).map(({ path, ...rest }) => ({
    parameter: String(path[0] ?? ''),
    ...rest,
  }));

/** One sentence for the problem's `detail`. */
export function summaryOf(errors: readonly FieldError[]): string {
  const [first] = errors;
  if (first === undefined) return 'The request is not valid.';
  const where = first.pointer ?? first.parameter ?? first.header ?? '';
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return `${where}: ${first.detail}${more}`;
}

function findings(issue: Issue, value: unknown): readonly Finding[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: [...path, key],
      code: 'unknown_property',
      detail: 'The property is unknown here.',
    }));
  }
  if (issue.code === 'invalid_union') return unionFindings(issue, value);
  if (issue.code === 'invalid_type' && at(value, path) === undefined) {
    return [{ path, code: 'required', detail: 'This property is required.' }];
  }
  return [{ path, ...ruleOf(issue) }];
}

/** Findings of the alternative that matched furthest; in a union by a property, the errors of that property. */
function unionFindings(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  value: unknown,
): readonly Finding[] {
  const alternatives = issue.errors.filter((errors) => errors.length > 0);
  const deepest = alternatives.toSorted((a, b) => depthOf(b) - depthOf(a))[0];
  if (deepest === undefined || depthOf(deepest) === 0) {
    return [
      { path: issue.path, code: 'invalid_type', detail: 'Must be one of the documented forms.' },
    ];
  }
  return deepest.flatMap((inner) =>
    findings({ ...inner, path: [...issue.path, ...inner.path] }, value),
  );
}

const depthOf = (issues: readonly Issue[]): number =>
  Math.max(...issues.map(({ path }) => path.length));

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (inner, key) => (inner as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key],
    value,
  );

type Rule = Omit<Finding, 'path'>;

function ruleOf(issue: Issue): Rule {
  switch (issue.code) {
    case 'invalid_type':
      return {
        code: 'invalid_type',
        detail: `Must be ${nouns[issue.expected] ?? issue.expected}.`,
      };
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return tooBig(issue);
    case 'not_multiple_of':
      return { code: 'not_multiple', detail: `Must be a multiple of ${issue.divisor}.` };
    case 'invalid_value': {
      const allowed = issue.values.map(String);
      return {
        code: 'not_one_of',
        detail: `Must be one of ${allowed.join(', ')}.`,
        meta: { allowed },
      };
    }
    case 'invalid_format': {
      const { pattern } = issue as { pattern?: string };
      if (isOurs(issue)) return { code: 'invalid_format', detail: `This ${issue.message}.` };
      const form = pattern === undefined ? `a valid ${issue.format}` : `of the form ${pattern}`;
      return { code: 'invalid_format', detail: `Must be ${form}.` };
    }
    case 'invalid_key': {
      const [inner] = issue.issues;
      const rule = inner !== undefined && isOurs(inner) ? inner.message : 'is not allowed';
      return { code: 'invalid_key', detail: `The name of this property ${rule}.` };
    }
    case 'custom':
    case 'invalid_element':
    case 'invalid_union':
    case 'unrecognized_keys':
      return { code: 'invalid_value', detail: `This ${issue.message}.` };
    default:
      return assertNever(issue);
  }
}

/** True for messages of our schemas; zod's own messages begin with a capital letter. */
const isOurs = ({ message }: Issue): boolean => /^[a-z]/.test(message);

const nouns: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  null: 'null',
};

function tooSmall({ origin, minimum }: { origin: string; minimum: number | bigint }): Rule {
  const least = Number(minimum);
  if (origin === 'string') {
    return {
      code: 'too_short',
      detail: `Must have ${least} ${least === 1 ? 'character' : 'characters'} or more.`,
      meta: { minimum: least },
    };
  }
  if (origin === 'array') {
    return { code: 'too_few', detail: `Must have ${least} at least.`, meta: { minimum: least } };
  }
  return { code: 'below_minimum', detail: `Minimum is ${least}.`, meta: { minimum: least } };
}

function tooBig({ origin, maximum }: { origin: string; maximum: number | bigint }): Rule {
  const most = Number(maximum);
  if (origin === 'string') {
    return {
      code: 'too_long',
      detail: `Must have ${most} characters at most.`,
      meta: { maximum: most },
    };
  }
  if (origin === 'array') {
    return { code: 'too_many', detail: `Must have ${most} at most.`, meta: { maximum: most } };
  }
  return { code: 'above_maximum', detail: `Maximum is ${most}.`, meta: { maximum: most } };
}

/** JSON pointer as a URI fragment (RFC 6901, section 6). */
export function pointer(path: Path): string {
  const parts = path.map((part) => {
    const text = String(part).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1');
    return `/${encodeURIComponent(text)}`;
  });
  return `#${parts.join('')}`;
}
