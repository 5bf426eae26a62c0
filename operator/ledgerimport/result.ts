/** The result of a trial, from the termination message of its pod. */
import { z } from 'zod';
import { cutText } from '../../base/cut-text.ts';
import { jsonOf } from '../../base/json.ts';
import { ImportReason } from '../../domain/conditions.ts';
import type { Pod } from '../../domain/kinds.ts';
import { lastWords } from '../ledgerbackup/result.ts';

const count = z.number().int().nonnegative();
const triedSchema = z.object({
  release: z.string().max(32),
  accounts: count,
  transfers: count,
  faultCount: count,
  state: z.string().max(64).optional(),
});
const failedSchema = z.object({ error: z.string(), message: z.string() });

export type Tried = z.infer<typeof triedSchema>;

const reasons: Readonly<Record<string, ImportReason>> = {
  store_unreachable: ImportReason.StoreUnreachable,
  store_refused: ImportReason.StoreRefused,
  bucket_missing: ImportReason.StoreRefused,
  import_missing: ImportReason.FilesMissing,
  import_differs: ImportReason.FilesChanged,
  import_too_large: ImportReason.TooLarge,
  import_no_room: ImportReason.TooLarge,
};

const MESSAGE_MAX = 900;

/** Returns `undefined` if no existing pod has reported it. */
export function triedRows(pods: readonly Pod[]): Tried | undefined {
  const tried = triedSchema.safeParse(jsonOf(lastWords(pods) ?? ''));
  return tried.success ? tried.data : undefined;
}

/** Why a trial could not be made; `otherwise` applies if its program reported nothing. */
export function failureOf(
  pods: readonly Pod[],
  otherwise: string,
): { readonly reason: ImportReason; readonly message: string } {
  const words = lastWords(pods) ?? otherwise;
  const said = failedSchema.safeParse(jsonOf(words));
  const { error = '', message = words } = said.success ? said.data : {};
  return {
    reason: reasons[error] ?? ImportReason.Failed,
    message: cutText(message, MESSAGE_MAX),
  };
}
