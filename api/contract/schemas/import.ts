/** Imports: data files or rows that are uploaded, so that a new database begins with them. */
import { z } from 'zod';
import { importFileBytesMax, importStatuses } from '../../model/import.ts';
import { rowsBytesMax } from '../../model/rows-import.ts';
import { engineName } from './catalog.ts';
import { emptyPage, exampleId, exampleTime, id, listOf, success, time } from './common.ts';

/** 16 KiB in base64. */
const headTextMax = 21_848;
/** 80 KiB in base64. */
const fileHeadTextMax = 109_228;

const headText = (lengthMax: number) =>
  z
    .string()
    .regex(/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, {
      error: 'must be base64',
    })
    .min(4)
    .max(lengthMax)
    .optional();

const rowsFile = z.strictObject({
  sizeBytes: z.int().min(1).max(rowsBytesMax),
  head: headText(headTextMax).describe(
    'Its first 16 KiB, or all of a smaller file. What cannot be rows of this kind is then refused before anything is uploaded.',
  ),
});

export const createImportRequest = z
  .strictObject({
    files: z
      .array(
        z.strictObject({
          replicaIndex: z.int().min(0).max(5).describe('The replica that begins with it, from 0.'),
          sizeBytes: z.int().min(1).max(importFileBytesMax),
          head: headText(fileHeadTextMax).describe(
            'Its first 16 KiB, or 80 KiB (81,920 bytes) of a file of TigerBeetle. What cannot be imported is then refused before anything is uploaded, and its parts may come in any order; without it, the first part comes first.',
          ),
        }),
      )
      .min(1)
      .max(6)
      .optional()
      .describe(
        'Data files, 1, 3 or 6: one for each replica of the new database. Of the built-in engine exported ones, of TigerBeetle those of all replicas, copied while none ran.',
      ),
    rows: z
      .strictObject({
        accounts: rowsFile,
        transfers: rowsFile.optional(),
        ignoreBalances: z
          .boolean()
          .default(false)
          .describe(
            'Whether balances in the file with accounts are ignored. Otherwise they must be those of the transfers.',
          ),
      })
      .optional()
      .describe(
        'Accounts and transfers in CSV or NDJSON, not compressed; both files together have at most 4 GiB.',
      ),
  })
  .refine(({ files, rows }) => (files === undefined) !== (rows === undefined), {
    error: 'needs either files or rows',
    path: ['files'],
  })
  .meta({ id: 'CreateImportRequest' });

const importHead = z
  .object({
    engine: engineName.describe('The engine whose file it is.'),
    clusterId: z.string().describe('Decimal, 128 bits.'),
    replicaIndex: z.int(),
    replicaCount: z.int(),
    release: z.string().describe('Release that wrote it, such as 0.17.9.'),
    op: z
      .int()
      .describe(
        'The last operation that it contains; of TigerBeetle, that of its last checkpoint.',
      ),
    timestamp: z.string().describe('Timestamp of that operation, in nanoseconds.'),
    stateHash: z
      .string()
      .describe(
        'Of the ledger at that operation; the same in all files. Of TigerBeetle, the checksum of the file’s superblock.',
      ),
  })
  .meta({ id: 'ImportHead' });

export const importFile = z
  .object({
    replicaIndex: z
      .int()
      .describe(
        'Index of the file: that of its replica; of rows, 0 for accounts and 1 for transfers.',
      ),
    name: z
      .string()
      .describe(
        '`CLUSTER_INDEX.ledger`, of TigerBeetle `CLUSTER_INDEX.tigerbeetle`; `INDEX.ledger` until the cluster is known; `accounts` or `transfers`.',
      ),
    sizeBytes: z.int(),
    status: z.enum(['PENDING', 'UPLOADED']).describe('`UPLOADED`: all of its parts are there.'),
    uploadedBytes: z.int(),
    parts: z.array(z.int()).describe('Numbers of the parts that are there, from 1.'),
    head: importHead
      .nullable()
      .describe('Content of its head; null until the head is known, and for rows.'),
  })
  .meta({ id: 'ImportFile' });

const rowsReport = z
  .object({
    accounts: z.int().describe('Accounts in the file.'),
    transfers: z.int().describe('Transfers in the file.'),
    faultCount: z.int().describe('All faults, also those that are not listed.'),
    faults: z
      .array(
        z.object({
          file: z.enum(['accounts', 'transfers']).nullable().describe('Null: it is of neither.'),
          line: z.int().describe('From 1; 0: the file as a whole.'),
          field: z.string().nullable().describe('The column at fault, if it is one.'),
          code: z
            .string()
            .describe('A stable name: a status of the ledger, or a fault of the file’s form.'),
          detail: z.string().describe('The fault, and what to do.'),
        }),
      )
      .describe('The first hundred.'),
  })
  .meta({ id: 'RowsReport' });

const importSchema = z
  .object({
    id: id('imp', 'Import ID.'),
    kind: z
      .enum(['DATA_FILES', 'ROWS'])
      .describe('Data files, or accounts and transfers in CSV or NDJSON.'),
    status: z
      .enum(importStatuses)
      .describe(
        '`CHECKING`: the rows are tried. `READY`: a database can begin with it. `FAULTY`: the rows have faults, which `report` lists, and the files are removed. `USED`: one did, and the files are removed. `EXPIRED`: nobody used it in time.',
      ),
    clusterId: z.string().nullable().describe('The cluster that the files are of.'),
    replicaCount: z
      .int()
      .nullable()
      .describe('Null for rows: any number of replicas begins with them.'),
    partSizeBytes: z.int().describe('Bytes of each part but the last one of a file.'),
    createdAt: time('When it was begun.'),
    expiresAt: time('When its files are removed if nobody uses it.'),
    databaseId: id('db', 'The database that begins, or began, with it.').nullable(),
    report: rowsReport.nullable().describe('Result of the trial of rows; null until it has ended.'),
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
    engine: 'Builtin',
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
  kind: 'DATA_FILES',
  status: 'UPLOADING',
  clusterId: '77',
  replicaCount: 1,
  partSizeBytes: 8_388_608,
  createdAt: exampleTime,
  expiresAt: '2026-11-28T02:03:04.567Z',
  databaseId: null,
  report: null,
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

export const faultyImportExample: z.input<typeof importSchema> = {
  ...importExample,
  kind: 'ROWS',
  status: 'FAULTY',
  clusterId: null,
  replicaCount: null,
  report: {
    accounts: 2,
    transfers: 81_263,
    faultCount: 1,
    faults: [
      {
        file: 'transfers',
        line: 81_263,
        field: 'amount',
        code: 'value_not_an_integer',
        detail:
          '"12.50" is not an unsigned integer in digits. Amounts are whole numbers of the smallest unit, such as cents.',
      },
    ],
  },
  files: [
    {
      ...fileExample,
      name: 'accounts',
      status: 'UPLOADED',
      uploadedBytes: 9_000_000,
      parts: [],
      head: null,
    },
  ],
};
