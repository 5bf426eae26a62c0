/** Query strings: converts text to the type of each parameter's schema, so that only the schema decides what is valid. */
import type { z } from 'zod';
import { Refusal, type FieldError } from '../model/refusal.ts';
import { isKept, notKept } from './text-errors.ts';
import { queryErrors, summaryOf } from './validation.ts';

export function parseQuery(schema: z.ZodObject | undefined, search: string): unknown {
  const given = new URLSearchParams(search);
  const values: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  for (const name of new Set(given.keys())) {
    const texts = given.getAll(name);
    const field =
      schema !== undefined && Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    if (field === undefined) {
      const names = Object.keys(schema?.shape ?? {});
      const known =
        names.length === 0 ? 'the operation takes none' : `known are ${names.join(', ')}`;
      const detail = `The parameter is unknown; ${known}.`;
      errors.push({ parameter: name.slice(0, 100), code: 'unknown_parameter', detail });
    } else if (texts.length > 1 && kindOf(field) !== 'array') {
      errors.push({ parameter: name, code: 'repeated', detail: 'Must be given only once.' });
    } else if (!texts.every(isKept)) errors.push({ parameter: name, ...notKept });
    else values[name] = valueOf(kindOf(field), texts);
  }
  if (errors.length > 0) throw refused(errors);
  if (schema === undefined) return undefined;
  const parsed = schema.safeParse(values);
  if (!parsed.success) throw refused(queryErrors(parsed.error, values));
  return parsed.data;
}

const refused = (errors: readonly FieldError[]) =>
  new Refusal('invalid_parameter', { detail: summaryOf(errors), errors });

interface Definition {
  readonly type: string;
  readonly innerType?: { readonly def: Definition };
}

/** Type name of the schema, without wrappers such as `optional`. */
function kindOf(schema: z.core.$ZodType): string {
  let { def } = schema as unknown as { def: Definition };
  while (def.innerType !== undefined) ({ def } = def.innerType);
  return def.type;
}

/** Text that does not fit the type stays text, and the schema refuses it. */
function valueOf(kind: string, texts: readonly string[]): unknown {
  const [text = ''] = texts;
  if (kind === 'number') return /^-?(0|[1-9]\d{0,9})$/.test(text) ? Number(text) : text;
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (kind === 'array') return texts.flatMap((one) => one.split(','));
  return text;
}
