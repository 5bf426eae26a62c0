import { defineConfig } from 'vite';

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
  },
});
