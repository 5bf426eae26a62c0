/**
 * Names that people gave to codes and to user data of a database's records. They are kept in its labels: `codes/transfer` is
 * `1 Sale; 2 Refund`, and `user-data/transfer` is `128:uuid Order; 64 Invoice`. What does not fit into one label continues in
 * `codes/transfer/2` and so on.
 */
import { hexadecimal } from './digits.ts';

export const namedRecords = ['account', 'transfer'] as const;
export type NamedRecord = (typeof namedRecords)[number];

/** The fields that can have a name: `code` has one for each of its values, the others have one for themselves. */
export const namedFields = ['code', 'user_data_128', 'user_data_64', 'user_data_32'] as const;
export type NamedField = (typeof namedFields)[number];

export const valueFormats = ['integer', 'hexadecimal', 'UUID'] as const;
type ValueFormat = (typeof valueFormats)[number];

export interface FieldName {
  readonly record: NamedRecord;
  readonly field: NamedField;
  /** Digits of the code; empty for user data. */
  readonly code: string;
  readonly name: string;
  /** Of user data. */
  readonly format: ValueFormat;
}

type Labels = Readonly<Record<string, string>>;

export const nameMax = 60;
const labelMax = 255;
const codeMax = 65_535;
const formatMarks: Readonly<Record<ValueFormat, string>> = {
  integer: '',
  hexadecimal: ':hex',
  UUID: ':uuid',
};

/** Reads the names out of labels. Entries of another form are left out; of two names of one thing the last counts. */
export const fieldNamesOf = (labels: Labels): readonly FieldName[] =>
  namedRecords
    .flatMap((record) => [
      ...entriesOf(labels, `codes/${record}`).flatMap((entry) => codeNameOf(record, entry)),
      ...entriesOf(labels, `user-data/${record}`).flatMap((entry) => dataNameOf(record, entry)),
    ])
    .filter((one, index, all) => !all.slice(index + 1).some((later) => isSame(one, later)));

/** The labels that belong to a key, which continues in `key/2`, `key/3`, … */
const partsOf = (labels: Labels, key: string): readonly string[] =>
  Object.keys(labels)
    .filter(
      (one) =>
        one === key || (one.startsWith(`${key}/`) && /^\d{1,2}$/.test(one.slice(key.length + 1))),
    )
    .sort();

const entriesOf = (labels: Labels, key: string): readonly string[] =>
  partsOf(labels, key).flatMap((part) =>
    (labels[part] ?? '').split(';').map((entry) => entry.trim()),
  );

function codeNameOf(record: NamedRecord, entry: string): readonly FieldName[] {
  const [, code, name] = /^([1-9]\d{0,4}) (.{1,60})$/.exec(entry) ?? [];
  return code === undefined || name === undefined || BigInt(code) > codeMax
    ? []
    : [{ record, field: 'code', code, name, format: 'integer' }];
}

function dataNameOf(record: NamedRecord, entry: string): readonly FieldName[] {
  const [, bits, mark = '', name] = /^(128|64|32)(:\w+)? (.{1,60})$/.exec(entry) ?? [];
  const field = namedFields.find((one) => one === `user_data_${bits ?? ''}`);
  const format = valueFormats.find((one) => formatMarks[one] === mark);
  return field === undefined || name === undefined || format === undefined
    ? []
    : [{ record, field, code: '', name, format }];
}

const isSame = (a: FieldName, b: FieldName): boolean =>
  a.record === b.record && a.field === b.field && a.code === b.code;

/** A change of labels that gives something a name. An earlier name of it is replaced. */
export const labelsWithName = (labels: Labels, added: FieldName) =>
  changedLabels(labels, added, [
    ...fieldNamesOf(labels).filter((one) => !isSame(one, added)),
    { ...added, name: plainName(added.name) },
  ]);

/** A change of labels that takes a name away. */
export const labelsWithoutName = (labels: Labels, removed: FieldName) =>
  changedLabels(
    labels,
    removed,
    fieldNamesOf(labels).filter((one) => !isSame(one, removed)),
  );

/** A semicolon would end the name. */
const plainName = (name: string): string =>
  name
    .replaceAll(/[\s;]+/g, ' ')
    .trim()
    .slice(0, nameMax)
    .trim();

function changedLabels(
  labels: Labels,
  { record, field }: FieldName,
  names: readonly FieldName[],
): Record<string, string | null> {
  const isCode = field === 'code';
  const key = `${isCode ? 'codes' : 'user-data'}/${record}`;
  const entries = names
    .filter((one) => one.record === record && (one.field === 'code') === isCode)
    .map(({ field: named, code, name, format }) =>
      isCode
        ? `${code} ${name}`
        : `${named.replace('user_data_', '')}${formatMarks[format]} ${name}`,
    )
    .sort();
  // Text that somebody wrote in another form stays.
  const others = entriesOf(labels, key).filter(
    (entry) =>
      entry !== '' && [...codeNameOf(record, entry), ...dataNameOf(record, entry)].length === 0,
  );
  return {
    ...Object.fromEntries(partsOf(labels, key).map((part) => [part, null])),
    ...Object.fromEntries(
      packed([...entries, ...others]).map((value, index) => [
        index === 0 ? key : `${key}/${index + 1}`,
        value,
      ]),
    ),
  };
}

/** Joins entries to as few texts as labels can hold. */
function packed(entries: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (const entry of entries) {
    const longer = `${texts.at(-1) ?? ''}; ${entry}`;
    if (texts.length > 0 && longer.length <= labelMax) texts[texts.length - 1] = longer;
    else texts.push(entry);
  }
  return texts;
}

/** A value of user data in the format that its name gives. */
export function formatted(digits: string, format: ValueFormat): string {
  if (format === 'integer' || !/^\d{1,39}$/.test(digits)) return digits;
  const text = hexadecimal(digits);
  if (format === 'hexadecimal') return text;
  return text
    .slice(2)
    .padStart(32, '0')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
