import { aegis } from './aegis.ts';
import { cliReference } from './cli-reference.ts';
import { crds } from './crds.ts';
import type { Generator } from './generator.ts';
import { openapi } from './openapi-document.ts';

export const generators: readonly Generator[] = [aegis, crds, openapi, cliReference];
