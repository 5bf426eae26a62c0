/** Imports: files that are uploaded, so that a new database begins with them. */
import { z } from 'zod';
import { importFileBytesMax, importStatuses } from '../../model/import.ts';
import { emptyPage, exampleId, exampleTime, id, listOf, success, time } from './common.ts';

/** 16 KiB in base64. */
const headTextMax = 21_848;

export const createImportRequest = z
  .strictObject({
    files: z
      .array(
        z.strictObject({
          replicaIndex: z.int().min(0).max(5).describe('The replica that begins with it, from 0.'),
          sizeBytes: z.int().min(1).max(importFileBytesMax),
          head: z
            .string()
            .regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, {
              error: 'must be base64',
            })
            .min(4)
            .max(headTextMax)
            .optional()
            .describe(
              'Its first 16 KiB. What cannot be imported is then refused before anything is uploaded, and its parts may come in any order; without it, the first part comes first.',
            ),
        }),
      )
      .min(1)
      .max(6)
      .describe('1, 3 or 6 files: one for each replica of the new database.'),
  })
  .meta({ id: 'CreateImportRequest' });

const importHead = z
  .object({
    clusterId: z.string().describe('Decimal, 128 bits.'),
    replicaIndex: z.int(),
    replicaCount: z.int(),
    release: z.string().describe('Release that wrote it, such as 0.17.9.'),
    op: z.int().describe('The last operation that it contains.'),
    timestamp: z.string().describe('Of that operation, in nanoseconds.'),
    stateHash: z.string().describe('Of the ledger at that operation; the same in all files.'),
  })
  .meta({ id: 'ImportHead' });

export const importFile = z
  .object({
    replicaIndex: z.int(),
    name: z.string().describe('`CLUSTER_INDEX.ledger`; `INDEX.ledger` until the cluster is known.'),
    sizeBytes: z.int(),
    status: z.enum(['PENDING', 'UPLOADED']).describe('`UPLOADED`: all of its parts are there.'),
    uploadedBytes: z.int(),
    parts: z.array(z.int()).describe('Numbers of the parts that are there, from 1.'),
    head: importHead.nullable().describe('What its first bytes say; null until they are known.'),
  })
  .meta({ id: 'ImportFile' });

const importSchema = z
  .object({
    id: id('imp', 'Import ID.'),
    status: z
      .enum(importStatuses)
      .describe(
        '`READY`: a database can begin with it. `USED`: one did, and the files are removed. `EXPIRED`: nobody used it in time.',
      ),
    clusterId: z.string().nullable().describe('The cluster that the files were exported from.'),
    replicaCount: z.int(),
    partSizeBytes: z.int().describe('Bytes of each part but the last one of a file.'),
    createdAt: time('When it was begun.'),
    expiresAt: time('When its files are removed if nobody uses it.'),
    databaseId: id('db', 'The database that begins, or began, with it.').nullable(),
    files: z.array(importFile),
  })
  .meta({ id: 'Import' });

export const importList = listOf(importSchema).meta({ id: 'ImportList' });
export const readImport = z.object({ import: importSchema }).meta({ id: 'ImportAnswer' });
export const changedImport = z
  .object({ success, import: importSchema })
  .meta({ id: 'ChangedImport' });
export const uploadedPart = z.object({ success, file: importFile }).meta({ id: 'UploadedPart' });

const fileExample: z.input<typeof importFile> = {
  replicaIndex: 0,
  name: '77_0.ledger',
  sizeBytes: 9_000_000,
  status: 'PENDING',
  uploadedBytes: 8_388_608,
  parts: [1],
  head: {
    clusterId: '77',
    replicaIndex: 0,
    replicaCount: 1,
    release: '0.17.9',
    op: 126_004,
    timestamp: '1795372852090008189',
    stateHash: '5d41402abc4b2a76b9719d911017c592',
  },
};

export const importExample: z.input<typeof importSchema> = {
  id: exampleId('imp'),
  status: 'UPLOADING',
  clusterId: '77',
  replicaCount: 1,
  partSizeBytes: 8_388_608,
  createdAt: exampleTime,
  expiresAt: '2026-11-28T02:03:04.567Z',
  databaseId: null,
  files: [fileExample],
};
export const readyImportExample: z.input<typeof importSchema> = {
  ...importExample,
  status: 'READY',
  files: [{ ...fileExample, status: 'UPLOADED', uploadedBytes: 9_000_000, parts: [1, 2] }],
};
export const importListExample: z.input<typeof importList> = {
  data: [importExample],
  page: emptyPage,
};
export const uploadedPartExample: z.input<typeof uploadedPart> = {
  success: true,
  file: fileExample,
};
