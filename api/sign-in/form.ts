/** Reads the fields of our pages' forms and of OAuth requests. */
import express, { type Request, type Response } from 'express';
import { formMax } from '../http/problem-response.ts';

/** Reads a form. Anybody may send it, so its size is limited and it is never decompressed. */
export const readForm = () =>
  express.urlencoded({ extended: false, inflate: false, limit: formMax, parameterLimit: 20 });

/** Returns a field that was sent exactly once and is not empty; otherwise `undefined`. */
export function fieldOf(request: Request, name: string): string | undefined {
  const value = (request.body as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Parses the query here, because the application parses no queries. */
export const queryOf = ({ url }: Request): URLSearchParams =>
  new URL(url, 'http://localhost').searchParams;

export const requestIdOf = ({ locals }: Response): string => String(locals['requestId']);
