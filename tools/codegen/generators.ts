import { aegis } from './aegis.ts';
import { cliReference } from './cli-reference.ts';
import { crds } from './crds.ts';
import { dashboards } from './dashboards.ts';
import type { Generator } from './generator.ts';
import { openapi } from './openapi-document.ts';
import { snippets } from './snippets.ts';

export const generators: readonly Generator[] = [
  aegis,
  crds,
  openapi,
  cliReference,
  snippets,
  dashboards,
];
