/** What forms of our pages, and OAuth's requests, send. */
import type { Request, Response } from 'express';

/** A field that was sent once; `undefined`: it was not, or is empty. */
export function fieldOf(request: Request, name: string): string | undefined {
  const value = (request.body as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The application parses no queries: these pages do. */
export const queryOf = ({ url }: Request): URLSearchParams =>
  new URL(url, 'http://localhost').searchParams;

export const requestIdOf = ({ locals }: Response): string => String(locals['requestId']);
