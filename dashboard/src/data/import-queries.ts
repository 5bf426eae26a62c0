/** Requests for imports: data files that are uploaded so that a new database begins with them. */
import { queryOptions } from '@tanstack/react-query';
import type { CreateImportRequest, Import } from '../../../gen/api.ts';
import { ask } from './client.ts';
import { keyFor } from './intent.ts';
import { every } from './polling.ts';
import { putBytes } from './put-bytes.ts';

const all = '/api/v1/imports';
const one = '/api/v1/imports/{importId}';
const calmMs = 30_000;
/** The service combines the parts and reads the files, which may take it 50 s. */
const completionMs = 70_000;

export const importsKey = (organizationId: string) => ['imports', organizationId] as const;

export const importsQuery = (organizationId: string) =>
  queryOptions({
    queryKey: importsKey(organizationId),
    queryFn: async ({ signal }) =>
      (await ask(organizationId, 'get', all, { query: { limit: 100 } }, { signal })).data.data,
    refetchInterval: every(calmMs),
  });

/** `intent`: of an attempt that is repeated with the same files, an answer that was lost leaves one import, not two. */
export async function beginImport(
  organizationId: string,
  body: CreateImportRequest,
  intent: string,
): Promise<Import> {
  const sending = { headers: { 'Idempotency-Key': keyFor(intent, body) } };
  return (await ask(organizationId, 'post', all, { body }, sending)).data.import;
}

export const readImport = async (organizationId: string, importId: string): Promise<Import> =>
  (await ask(organizationId, 'get', one, { params: { importId } })).data.import;

export async function completeImport(organizationId: string, importId: string): Promise<Import> {
  const sending = {
    headers: { 'Idempotency-Key': `complete-${importId}` },
    timeoutMs: completionMs,
  };
  const parts = { params: { importId } };
  return (await ask(organizationId, 'post', `${one}/complete`, parts, sending)).data.import;
}

export const deleteImport = (organizationId: string, importId: string) =>
  ask(organizationId, 'delete', one, { params: { importId } });

interface PartBytes {
  readonly importId: string;
  readonly replicaIndex: number;
  readonly number: number;
  readonly bytes: ArrayBuffer;
}

export const putPart = (
  organizationId: string,
  { importId, replicaIndex, number, bytes }: PartBytes,
  moving: { readonly signal: AbortSignal; readonly onSent: (bytes: number) => void },
): Promise<void> =>
  putBytes({
    organizationId,
    path: `${all}/${importId}/files/${replicaIndex}/parts/${number}`,
    bytes,
    ...moving,
  });
