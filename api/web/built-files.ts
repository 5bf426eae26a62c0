/** The built dashboard, held in memory: its page, and its assets in the encodings of the build. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';

export interface BuiltFile {
  readonly type: string;
  readonly etag: string;
  readonly plain: Buffer;
  readonly brotli?: Buffer;
  readonly gzip?: Buffer;
}

export interface BuiltFiles {
  /** `index.html`. */
  readonly page: BuiltFile;
  /** `first-load.js`, which the page of any build asks for. */
  readonly firstLoad: BuiltFile;
  /** By file name; all of them have a hash of their content in the name. */
  readonly assets: ReadonlyMap<string, BuiltFile>;
}

const scriptType = 'text/javascript; charset=utf-8';
const types: Readonly<Record<string, string>> = {
  '.js': scriptType,
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Reads what `make build` wrote to `folder`. Throws if there is no built dashboard. */
export function readBuiltFiles(folder: string): BuiltFiles {
  const assetsFolder = join(folder, 'assets');
  const names = new Set(readdirSync(assetsFolder));
  const assets = new Map<string, BuiltFile>();
  for (const name of names) {
    const type = types[extname(name)];
    if (type === undefined) continue;
    assets.set(name, readFile(assetsFolder, name, type));
  }
  return {
    page: readFile(folder, 'index.html', 'text/html; charset=utf-8'),
    firstLoad: readFile(folder, 'first-load.js', scriptType),
    assets,
  };
}

function readFile(folder: string, name: string, type: string): BuiltFile {
  const plain = readFileSync(join(folder, name));
  const brotli = readIfThere(join(folder, `${name}.br`));
  const gzip = readIfThere(join(folder, `${name}.gz`));
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  return { type, etag: `W/"${hash}"`, plain, ...(brotli && { brotli }), ...(gzip && { gzip }) };
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
