import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OutputFile } from './output-file.ts';
import { rowFormats } from './rows.ts';

const { csv, ndjson } = rowFormats;
const never = new AbortController().signal;
const header = 'id,timestamp\r\n';
const resume = (path: string, format = csv) => OutputFile.toResume(path, format, never);

let folder = '';
let path = '';
let partial = '';
const opened: OutputFile[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-export-'));
  path = join(folder, 'rows.csv');
  partial = `${path}.partial`;
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((file) => file.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function begun(text = '1,10\r\n'): Promise<OutputFile> {
  const file = await OutputFile.toBegin(path);
  opened.push(file);
  await file.begin(header);
  await file.write(text);
  return file;
}

async function resumed(): Promise<OutputFile> {
  const file = await resume(path);
  opened.push(file);
  return file;
}

test('a file with its name is complete: until then the rows are beside it', async () => {
  const file = await begun();
  expect(readdirSync(folder)).toEqual(['rows.csv.partial']);
  await file.write('2,20\r\n');
  await file.finish();
  expect(readdirSync(folder)).toEqual(['rows.csv']);
  expect(readFileSync(path, 'utf8')).toBe(`${header}1,10\r\n2,20\r\n`);
});

test.each([
  ['a file', () => writeFileSync(path, 'mine')],
  ['a link that leads nowhere', () => symlinkSync(join(folder, 'elsewhere'), path)],
  ['a device', () => symlinkSync('/dev/full', path)],
])('%s that has the name is not replaced', async (_what, make) => {
  make();
  const before = lstatSync(path).ino;
  await expect(OutputFile.toBegin(path)).rejects.toThrow('exists already');
  await expect(resume(path)).rejects.toThrow('exists already');
  expect([readdirSync(folder), lstatSync(path).ino]).toEqual([['rows.csv'], before]);
});

test('a file that gets the name meanwhile is not replaced, and the rows are kept', async () => {
  const file = await begun();
  writeFileSync(path, 'mine');
  await expect(file.finish()).rejects.toThrow('exists already');
  expect(readFileSync(path, 'utf8')).toBe('mine');
  expect(readFileSync(partial, 'utf8')).toBe(`${header}1,10\r\n`);
});

test('a link in the place of the partial file is not followed', async () => {
  const other = join(folder, 'other');
  writeFileSync(other, header);
  symlinkSync(other, partial);
  await expect(OutputFile.toBegin(path)).rejects.toThrow('exists already');
  await expect(resume(path)).rejects.toThrow('not a regular file');
  const file = await (async () => {
    rmSync(partial);
    const early = await OutputFile.toBegin(path);
    symlinkSync(join(folder, 'made'), partial);
    return early;
  })();
  await expect(file.begin(header)).rejects.toThrow('exists already');
  expect(existsSync(join(folder, 'made'))).toBe(false);
  expect(readFileSync(other, 'utf8')).toBe(header);
});

test('a folder that is not there is told, with control characters of its name made visible', async () => {
  const file = await OutputFile.toBegin(join(folder, 'no\u001b[2J', 'rows.csv'));
  await expect(file.begin(header)).rejects.toThrow(/no\ufffd\[2J.*there is no such folder/);
});

test('a second export into the same file is refused while the first one runs', async () => {
  const both = await Promise.all([OutputFile.toBegin(path), OutputFile.toBegin(path)]);
  opened.push(...both);
  await both[0].begin(header);
  await expect(both[1].begin(header)).rejects.toThrow('was interrupted, or is running');
  await expect(OutputFile.toBegin(path)).rejects.toThrow('was interrupted, or is running');
});

test('two exports continue the same file: the later to write ends, and the other ends well with its own rows', async () => {
  await (await begun()).close();
  const [one, two] = [await resumed(), await resumed()];
  await one.begin(header);
  await two.begin(header);
  await one.write('2,20\r\n');
  await expect(two.write('2,20\r\n')).rejects.toThrow('another program changes');
  await expect(two.finish()).rejects.toThrow('another program changes');
  await one.finish();
  expect(readFileSync(path, 'utf8')).toBe(`${header}1,10\r\n2,20\r\n`);
});

test('a partial file that was replaced does not get the name', async () => {
  const file = await begun();
  renameSync(partial, join(folder, 'moved'));
  writeFileSync(partial, 'x'.repeat(20));
  await expect(file.finish()).rejects.toThrow('another program changes');
  expect(existsSync(path)).toBe(false);
});

test('an interrupted export goes on behind the last whole line of its file', async () => {
  await (await begun('1,10\r\n2,20\r\n3,3')).close();
  const file = await resumed();
  expect(file.found).toMatchObject({ header, rows: 2, first: { id: '1' }, last: { id: '2' } });
  await file.begin(header);
  await file.write('3,30\r\n');
  await file.finish();
  expect(readFileSync(path, 'utf8')).toBe(`${header}1,10\r\n2,20\r\n3,30\r\n`);
});

test('also where not even the header is whole, and where lines are longer than what is read at once', async () => {
  writeFileSync(partial, 'id,time');
  const file = await resumed();
  expect(file.found).toMatchObject({ header: undefined, rows: 0 });
  await file.begin(header);
  const rows = Array.from({ length: 120_000 }, (_, index) => `${index},${index + 1}\r\n`).join('');
  await file.write(rows);
  await file.close();
  expect((await resumed()).found).toMatchObject({ rows: 120_000, last: { id: '119999' } });
  expect(readFileSync(partial, 'utf8')).toBe(header + rows);
});

test.each([
  ['a line that is no row', '2,x\r\n', 'line 3'],
  ['a row that is there twice', '1,10\r\n', 'line 3'],
  ['something without lines', 'x'.repeat(70_000), 'line 3'],
])('%s is not continued', async (_what, text, where) => {
  await (await begun()).close();
  appendFileSync(partial, text);
  await expect(resume(path)).rejects.toThrow(where);
  expect(readFileSync(partial, 'utf8')).toBe(`${header}1,10\r\n${text}`);
});

test('rows of another format, or with other columns, are not continued either', async () => {
  await (await begun()).close();
  await expect(resume(path, ndjson)).rejects.toThrow('line 1');
  const file = await resumed();
  await expect(file.begin('id,amount,timestamp\r\n')).rejects.toThrow('its columns are others');
});

test('there must be something to continue', async () => {
  await expect(resume(path)).rejects.toThrow('there is no');
});
