import { defineConfig } from 'vite';

/**
 * Modules of a few hundred bytes that most pages share. A file for each costs more by its frame than by its content, so they are in one.
 */
const small =
  /src[\\/](lib[\\/](digits|time|download|short-id|shell-word|patience|said)|ui[\\/](Field|States|Code|Tabs|ShortId))/;

export default defineConfig({
  root: import.meta.dirname,
  publicDir: false,
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  build: {
    target: 'es2023',
    // The content security policy allows no `data:` address and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
    rollupOptions: {
      output: { codeSplitting: { groups: [{ name: 'small', test: small, minShareCount: 2 }] } },
    },
  },
});
