import { aegis } from './aegis.ts';
import { crds } from './crds.ts';
import type { Generator } from './generator.ts';

export const generators: readonly Generator[] = [aegis, crds];
