import { rowsNames } from '../../domain/import-files/row-files.ts';
import { FILE_HEAD_SIZE, headSizeOf } from '../../domain/import-files/file-head.ts';
import type { importRoutes } from '../contract/routes/imports.ts';
import type { Handler, HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { importsMax, partSizeFor } from '../model/import.ts';
import { Refusal } from '../model/refusal.ts';
import { rowsBytesMax } from '../model/rows-import.ts';
import type { Cursors } from '../store/cursor.ts';
import { findAnyDatabase } from '../store/databases.ts';
import {
  createImport,
  endImport,
  findImport,
  listImports,
  lockImport,
  type ImportView,
} from '../store/imports.ts';
import { isBeingMade } from './being-made.ts';
import { bytesMaxOf } from './bytes-max.ts';
import { completeImport } from './complete.ts';
import { headIn, readHead, requireSound } from './heads.ts';
import { tellImport } from './import-events.ts';
import type { ImportServices } from './import-services.ts';
import { requireRows, rowsWrong } from './rows-heads.ts';
import { shownFile, shownImport } from './present.ts';
import { importNotFound, requireStaging } from './refusal.ts';
import { fileOf, uploadPart } from './upload-part.ts';

interface ImportHandlerOptions {
  readonly services: ImportServices;
  readonly requests: IdempotentRequests;
  readonly cursors: Cursors;
}

type Handlers = HandlersOf<typeof importRoutes>;

export const importHandlers = (options: ImportHandlerOptions): Handlers => ({
  createImport: create(options),
  listImports: list(options),
  getImport: get(options),
  uploadImportPart: upload(options),
  completeImport: complete(options),
  deleteImport: remove(options),
});

const create =
  (options: ImportHandlerOptions): Handler<'createImport'> =>
  async (request) => {
    const { services } = options;
    const { body } = request;
    requireStaging(services.staging);
    const { spec } = services.catalog();
    const { rows: described } = body;
    if (described !== undefined) return createOfRows(options, request, described);
    const files = (body.files ?? []).map(({ replicaIndex, sizeBytes, head }, at) => ({
      replicaIndex,
      sizeBytes,
      start: startOf(head, { sizeBytes, file: `files/${at}`, sizeOf: headSizeOf }),
    }));
    const looked = files.map(({ start, ...file }) => ({
      ...file,
      head: start && readHead(start),
    }));
    requireSound(looked, spec, services.now());
    const rows = files.map(({ start, ...file }) => ({
      ...file,
      head: start ? headIn(start) : null,
    }));
    const clusterId = rows.find(({ head }) => head !== null)?.head?.clusterId ?? null;
    return made(options, request, { clusterId, files: rows, rows: null });
  };

type CreateAsked = Parameters<Handler<'createImport'>>[0];

/** An import of accounts and transfers. */
async function createOfRows(
  options: ImportHandlerOptions,
  request: CreateAsked,
  { ignoreBalances, ...described }: NonNullable<CreateAsked['body']['rows']>,
) {
  const files = rowsNames.flatMap((rows, index) => {
    const file = described[rows];
    if (file === undefined) return [];
    const { head, sizeBytes } = file;
    const start = startOf(head, { sizeBytes, file: `rows/${rows}`, sizeOf: () => FILE_HEAD_SIZE });
    return [{ index, sizeBytes, start }];
  });
  const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (bytes > rowsBytesMax) {
    const detail = `Both files together have ${bytes} bytes, the maximum is ${rowsBytesMax}. Make data files of them with ledger-engine import-rows, and import those.`;
    throw rowsWrong([{ pointer: '#/rows', code: 'files_too_large', detail }]);
  }
  requireRows(files);
  return made(options, request, {
    clusterId: null,
    files: files.map(({ index, sizeBytes }) => ({ replicaIndex: index, sizeBytes, head: null })),
    rows: { ignoreBalances },
  });
}

const made = (
  { services, requests }: ImportHandlerOptions,
  request: CreateAsked,
  described: Pick<Parameters<typeof createImport>[1], 'clusterId' | 'files' | 'rows'>,
) =>
  requests.change(request, async (change) => {
    const bytesMax = bytesMaxOf(services.catalog().spec, services.bytesMax);
    const begun = await createImport(change, {
      organizationId: request.principal.organization.id,
      partSizeBytes: partSizeFor(Math.max(...described.files.map(({ sizeBytes }) => sizeBytes))),
      ...described,
      bytesMax,
    });
    if (begun === 'too_many' || begun === 'too_large') throw noRoom(begun, bytesMax);
    tellImport(change, 'import.created', begun.made);
    return {
      status: 201 as const,
      headers: { Location: `/api/v1/imports/${begun.made.id}` },
      body: { success: true as const, import: shownImport(begun) },
    };
  });

interface Described {
  readonly sizeBytes: number;
  /** Its place in the request. */
  readonly file: string;
  /** Bytes that are needed of a file that begins like this. */
  readonly sizeOf: (start: Uint8Array) => number;
}

/** The first bytes of a file, if they were sent. */
function startOf(
  text: string | undefined,
  { sizeBytes, file, sizeOf }: Described,
): Uint8Array | undefined {
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, 'base64');
  const needed = Math.min(sizeOf(bytes), sizeBytes);
  if (bytes.length >= needed) return bytes.subarray(0, needed);
  const detail = `Must be the first ${needed} bytes of the file; it has ${bytes.length}.`;
  throw new Refusal('validation_failed', {
    detail: `${file}/head: ${detail}`,
    errors: [{ pointer: `#/${file}/head`, code: 'too_small', detail }],
  });
}

const noRoom = (which: 'too_many' | 'too_large', bytesMax: number): Refusal =>
  new Refusal('quota_exceeded', {
    detail:
      which === 'too_many'
        ? `The organization has ${importsMax} imports that are not used yet, the maximum. Use or delete one first.`
        : `All imports of the organization together may have ${bytesMax} bytes, and those that are over count until their files are removed, a few minutes later. Use or delete one first, or ask for a larger quota.`,
  });

const list =
  ({ services: { store }, cursors }: ImportHandlerOptions): Handler<'listImports'> =>
  async ({ query, principal }) => {
    const organizationId = principal.organization.id;
    const listing = { of: 'imports', organizationId };
    const position = readCursor(cursors, listing, query.cursor, 2);
    const page = await listImports(store.read, organizationId, {
      limit: query.limit,
      ...(position && { position }),
    });
    return { status: 200, body: shownPage(cursors, listing, query.limit, page, shownImport) };
  };

const get =
  ({ services: { store } }: ImportHandlerOptions): Handler<'getImport'> =>
  async ({ params, principal }) => {
    const found = await findImport(store.read, principal.organization.id, params.importId);
    if (found === undefined) throw importNotFound(params.importId);
    return { status: 200, body: { import: shownImport(found) } };
  };

const upload =
  ({ services }: ImportHandlerOptions): Handler<'uploadImportPart'> =>
  async ({ params, body, principal, contentDigest, signal }) => {
    const { importId, replicaIndex, partNumber } = params;
    const view = await uploadPart(services, {
      organizationId: principal.organization.id,
      importId,
      replicaIndex,
      number: partNumber,
      contentDigest,
      bytes: body,
      signal,
    });
    const file = shownFile(view.made, fileOf(view, replicaIndex));
    return { status: 200, body: { success: true, file } };
  };

const complete =
  ({ services, requests }: ImportHandlerOptions): Handler<'completeImport'> =>
  (request) =>
    requests.run(request, async (keep) => {
      const { params, principal, author, signal } = request;
      const organizationId = principal.organization.id;
      const asked = { organizationId, importId: params.importId, author, signal };
      return completed(
        await completeImport(services, asked, (change, ready) => keep(change, completed(ready))),
      );
    });

const completed = (view: ImportView) => ({
  status: 200 as const,
  body: { success: true as const, import: shownImport(view) },
});

const remove =
  ({ services: { store } }: ImportHandlerOptions): Handler<'deleteImport'> =>
  async ({ params, principal, author }) => {
    const { importId } = params;
    await store.change(author, async (change) => {
      const found = await lockImport(change, importId);
      const isTheirs = found?.organizationId === principal.organization.id;
      if (found === undefined || !isTheirs || found.status === 'DELETED') {
        throw importNotFound(importId);
      }
      const database =
        found.databaseId === null ? undefined : await findAnyDatabase(change.db, found.databaseId);
      const isUsed = database !== undefined && (await isBeingMade(change.db, database));
      if (database !== undefined && found.status === 'READY' && isUsed) {
        throw new Refusal('import_in_use', {
          detail: `${database.name} begins with it. Wait until it is READY, or delete it.`,
        });
      }
      tellImport(change, 'import.deleted', found);
      await endImport(change, importId, 'DELETED');
    });
    return { status: 204 };
  };
