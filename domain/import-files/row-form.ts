/** Tells from a file's first bytes whether it is a text with rows, and which. */

export type RowForm = 'csv' | 'ndjson';

export type FileForm =
  /** `skip`: bytes before the first row. */
  | { readonly form: RowForm; readonly skip: number }
  | { readonly code: string; readonly detail: string };

/** Bytes that `recogniseForm` needs, unless the file ends before. */
export const FORM_BYTES = 1_024;

const BRACE = 0x7b;
const marks: readonly (readonly [readonly number[], string])[] = [
  [[0x1f, 0x8b], 'It is compressed with gzip. Unpack it first.'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'It is compressed with zstd. Unpack it first.'],
  [
    [0x50, 0x4b, 0x03, 0x04],
    'It is a workbook or an archive. Save the sheet as CSV, or unpack it.',
  ],
  [[0xff, 0xfe], 'It is UTF-16. Save it as UTF-8.'],
  [[0xfe, 0xff], 'It is UTF-16. Save it as UTF-8.'],
];
const utf8Mark = [0xef, 0xbb, 0xbf];

export function recogniseForm(head: Uint8Array): FileForm {
  for (const [bytes, detail] of marks) if (begins(head, bytes)) return { code: 'not_rows', detail };
  if (head.includes(0))
    return {
      code: 'not_rows',
      detail: 'It is not a text: it has NUL bytes. Choose a CSV or NDJSON file.',
    };
  const skip = begins(head, utf8Mark) ? utf8Mark.length : 0;
  const first = head.subarray(skip).find((byte) => !isSpace(byte));
  // An empty file is the NDJSON of no rows.
  return { form: first === BRACE || first === undefined ? 'ndjson' : 'csv', skip };
}

const begins = (head: Uint8Array, bytes: readonly number[]): boolean =>
  bytes.every((byte, at) => head[at] === byte);

const isSpace = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
