import { z } from 'zod';
import { access } from '../../model/access.ts';
import { answer, empty, jsonBody, octetsBody, type RouteSpec } from '../route.ts';
import { cursor, limit } from '../schemas/common.ts';
import {
  changedImport,
  createImportRequest,
  faultyImportExample,
  importExample,
  importList,
  importListExample,
  readImport,
  readyImportExample,
  uploadedPart,
  uploadedPartExample,
} from '../schemas/import.ts';

const path = '/api/v1/imports';
const one = '/api/v1/imports/{importId}';
const tag = 'Imports';

export const importRoutes = {
  createImport: {
    method: 'POST',
    path,
    tag,
    summary: 'Begin an import',
    description:
      'With `files`: those that `ledger-engine export` made, one for each replica of the new database, all of one moment; or those of all replicas of a TigerBeetle cluster, copied while none of them ran. With `rows`: accounts and transfers in CSV or NDJSON, which are tried on an empty ledger before they are READY. Upload their parts, complete the import, then create a database with `mode` `import`. Whatever nobody uses within seven days is removed.',
    access: access.createDatabase,
    body: {
      ...jsonBody(createImportRequest, {
        single: { files: [{ replicaIndex: 0, sizeBytes: 9_000_000 }] },
        rows: { rows: { accounts: { sizeBytes: 120_000 }, transfers: { sizeBytes: 9_000_000 } } },
      }),
      // Heads of six files of TigerBeetle.
      bytesMax: 768 * 1024,
    },
    responses: {
      201: answer(
        'The import; its parts can be uploaded.',
        changedImport,
        { success: true, import: importExample },
        ['Location'],
      ),
    },
    problems: ['imports_not_configured', 'import_files_wrong', 'quota_exceeded'],
  },
  listImports: {
    method: 'GET',
    path,
    tag,
    summary: 'List imports',
    description: 'The newest first, also used and expired ones of the last 90 days.',
    access: access.createDatabase,
    query: z.strictObject({ limit, cursor }),
    responses: { 200: answer('A page of imports.', importList, importListExample) },
    problems: ['invalid_cursor'],
  },
  getImport: {
    method: 'GET',
    path: one,
    tag,
    summary: 'Read an import: the uploaded parts, and the report of a trial',
    access: access.createDatabase,
    responses: {
      200: answer('The import.', readImport, { import: faultyImportExample }),
    },
    problems: [],
  },
  uploadImportPart: {
    method: 'PUT',
    path: '/api/v1/imports/{importId}/files/{replicaIndex}/parts/{partNumber}',
    tag,
    summary: 'Upload a part of a file',
    description:
      'Part N has the bytes from (N - 1) · `partSizeBytes` on: `partSizeBytes` of them, the last part the rest. Several may be sent at once, in any order; without a head, the first part of a file comes first. A part that is there already is answered the same, so that an upload can be resumed and every request repeated.',
    access: access.createDatabase,
    body: octetsBody('The bytes of the part.'),
    responses: {
      200: answer('The part is there: the file.', uploadedPart, uploadedPartExample),
    },
    problems: [
      'imports_not_configured',
      'import_closed',
      'import_incomplete',
      'import_files_wrong',
      'import_part_wrong',
    ],
    timeoutMs: 60_000,
  },
  completeImport: {
    method: 'POST',
    path: `${one}/complete`,
    tag,
    summary: 'Complete an import',
    description:
      'Once all parts are there: the files become whole in the store, and their heads are read there and compared. Then a database can begin with data files. Rows are `CHECKING`: every row is executed on an empty ledger, and the import becomes `READY`, or `FAULTY` with a report by line; read it until then. No part is taken any more, and a database begins with exactly the bytes that were tried. Asked for again, the answer is the same.',
    access: access.createDatabase,
    responses: {
      200: answer('It is READY, or CHECKING.', changedImport, {
        success: true,
        import: readyImportExample,
      }),
    },
    problems: [
      'imports_not_configured',
      'import_closed',
      'import_incomplete',
      'import_files_wrong',
    ],
    timeoutMs: 50_000,
  },
  deleteImport: {
    whileSuspended: true,
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete an import',
    description:
      'Stops the upload; uploaded files are removed within minutes. Refused while a database is being made from it.',
    access: access.createDatabase,
    responses: { 204: empty('It is deleted.') },
    problems: ['import_in_use'],
  },
} as const satisfies Record<string, RouteSpec>;
