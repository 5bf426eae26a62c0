/** Texts that no store can keep: with U+0000, which PostgreSQL refuses, or half a pair of surrogates, which is no Unicode. */
import type { FieldError } from '../model/refusal.ts';
import { pointer } from './validation.ts';

/** The first one in the value of a body, names of properties included. */
export function textErrors(value: unknown, path: readonly string[] = []): readonly FieldError[] {
  if (typeof value === 'string') return isKept(value) ? [] : [errorAt(path)];
  if (typeof value !== 'object' || value === null) return [];
  for (const [name, inner] of Object.entries(value)) {
    const place = [...path, name];
    const errors = isKept(name) ? textErrors(inner, place) : [errorAt(place)];
    if (errors.length > 0) return errors;
  }
  return [];
}

export const isKept = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

export const notKept = {
  code: 'invalid_format',
  detail: 'A text must not contain U+0000 or half of a pair of surrogates.',
} as const;

const errorAt = (path: readonly string[]): FieldError => ({
  pointer: pointer(path),
  ...notKept,
});
