/** What forms of our pages, and OAuth's requests, send. */
import express, { type Request, type Response } from 'express';
import { formMax } from '../http/problem-response.ts';

/** Reads a form. It comes from anybody: it is small, and nothing is decompressed. */
export const readForm = () =>
  express.urlencoded({ extended: false, inflate: false, limit: formMax, parameterLimit: 20 });

/** A field that was sent once; `undefined`: it was not, or is empty. */
export function fieldOf(request: Request, name: string): string | undefined {
  const value = (request.body as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The application parses no queries: these pages do. */
export const queryOf = ({ url }: Request): URLSearchParams =>
  new URL(url, 'http://localhost').searchParams;

export const requestIdOf = ({ locals }: Response): string => String(locals['requestId']);
