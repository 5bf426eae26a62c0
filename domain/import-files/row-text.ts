/** The fields of a line, as text: of CSV by RFC 4180, or of a flat JSON object. Digits stay text, so that none is rounded. */

/** Returns the fields of a line of CSV, or `undefined` if its quotes are wrong. No field of a row has a line break. */
export function csvFields(line: string): readonly string[] | undefined {
  if (!line.includes('"')) return line.split(',');
  const fields: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  do {
    const match = field.exec(line);
    if (match === null) return undefined;
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '') return fields;
  } while (field.lastIndex <= line.length);
  return undefined;
}

const pair =
  /\s*"([A-Za-z0-9_]{1,64})"\s*:\s*(?:"([^"\\]*)"|(-?[0-9][0-9.eE+-]*)|(null))\s*([,}])/y;

/** Returns names and values of a flat JSON object, or `undefined` if the line is something else. */
export function jsonFields(line: string): readonly (readonly [string, string])[] | undefined {
  const text = line.trim();
  if (!text.startsWith('{')) return undefined;
  const fields: [string, string][] = [];
  for (pair.lastIndex = 1; ;) {
    const match = pair.exec(text);
    if (match === null) return undefined;
    fields.push([match[1]!, match[2] ?? match[3] ?? '']);
    if (match[5] === '}') return pair.lastIndex === text.length ? fields : undefined;
  }
}
