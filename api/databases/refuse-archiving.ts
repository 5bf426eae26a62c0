/** Refuses continuous archiving of an engine whose log cannot be archived. */
import { Refusal } from '../model/refusal.ts';

export function refuseArchiving(engine: string, archiving: object | null | undefined): void {
  if (!archiving || engine === 'Builtin') return;
  const detail = 'Only the log of the built-in engine can be archived';
  throw new Refusal('catalog_choice_unavailable', {
    detail: `${detail}; this database is of ${engine}.`,
    errors: [{ pointer: '#/continuousArchiving', code: 'archiving_not_supported', detail }],
  });
}
