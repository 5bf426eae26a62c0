/** Addresses in the committed document; an installation replaces them with its own. */
import type { DocumentOptions } from './document.ts';

export const documentDefaults: Omit<DocumentOptions, 'version'> = {
  servers: {
    local: 'http://localhost:8080',
    development: 'https://ledgerhouse.development.example.com',
    staging: 'https://ledgerhouse.staging.example.com',
    production: 'https://ledgerhouse.example.com',
  },
  docsUrl: '/docs',
};
