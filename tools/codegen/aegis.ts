import { readFileSync } from 'node:fs';
import asc from 'assemblyscript/asc';
import type { Generator } from './generator.ts';

const source = 'engine/wire/assembly/aegis.ts';

/** Compiles the checksum's WebAssembly module and embeds it in a string, so that it loads without a separate file. */
export const aegis: Generator = async () => {
  const { error, binary } = await compile();
  if (error !== null || binary === null) throw error ?? new Error(`${source} gave no module`);
  const text = Buffer.from(binary)
    .toString('base64')
    .match(/.{1,110}/g)
    ?.map((line) => `  '${line}'`)
    .join(' +\n');
  return {
    'gen/aegis-module.ts': `// Made by tools/codegen from ${source}; not to be edited.\nexport const aegisModule =\n${text};\n`,
  };
};

async function compile(): Promise<{ error: Error | null; binary: Uint8Array | null }> {
  let binary: Uint8Array | null = null;
  const said = asc.createMemoryStream();
  const { error } = await asc.main(
    [
      source,
      '--outFile=module.wasm',
      '-O3',
      '--noAssert',
      '--runtime=stub',
      '--enable=simd,relaxed-simd',
      '--initialMemory=2',
      '--maximumMemory=2',
    ],
    {
      readFile: (name) => {
        try {
          return readFileSync(name, 'utf8');
        } catch {
          return null;
        }
      },
      writeFile: (name, contents) => {
        if (name.endsWith('.wasm')) binary = contents as Uint8Array;
      },
      listFiles: () => [],
      stderr: said,
    },
  );
  return { error: error === null ? null : new Error(`${source}: ${said.toString()}`), binary };
}
