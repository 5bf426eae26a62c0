import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { defineConfig } from 'vite';

/**
 * Modules of a few hundred bytes that most pages share. A file for each costs more by its frame than by its content, so the first
 * bundle has those that it needs in one, and pages have the parts from which they are made, with their styles, in another.
 */
const small = /src[\\/]lib[\\/](digits|time|download|short-id|shell-word|patience|said)/;
const parts =
  /src[\\/]ui[\\/](Field|States|Code|Tabs|ShortId|Table|Choices|Form|Filter|SearchInput|Spans)/;

const firstLoad = 'first-load';

/** Files by the letters that stand for them in names of classes. */
const filesByMark = new Map<string, string>();

/** Name of a class in the built styles: its own, and three letters for its file. All styles and pages repeat them. */
function classNameOf(name: string, file: string): string {
  const path = relative(import.meta.dirname, file.replace(/\?.*$/, ''));
  const mark = createHash('sha256').update(path).digest('hex').slice(0, 3);
  const other = filesByMark.get(mark) ?? path;
  // Two files with one mark would share classes of the same name: rename one of them.
  if (other !== path) throw new Error(`${path} and ${other} have the same mark ${mark}`);
  filesByMark.set(mark, path);
  return `${name}-${mark}`;
}

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  css: { modules: { localsConvention: 'camelCaseOnly', generateScopedName: classNameOf } },
  build: {
    target: 'es2023',
    // The content security policy allows no `data:` address and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One file for all styles: files for each page repeat each other, and together take half as much again.
    cssCodeSplit: false,
    reportCompressedSize: false,
    manifest: true,
    rollupOptions: {
      input: { index: 'dashboard/index.html', [firstLoad]: 'dashboard/src/first-load.ts' },
      output: {
        // One name in all builds: a page of another build asks for it, too.
        entryFileNames: ({ name }) =>
          name === firstLoad ? `${firstLoad}.js` : 'assets/[name]-[hash].js',
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'small', test: small, minShareCount: 2 },
            { name: 'parts', test: parts, minShareCount: 2 },
          ],
        },
      },
    },
  },
});
