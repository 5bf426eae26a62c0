/** Generates the resources' types, and the chart that installs them, from `crds/`. */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Generator } from './generator.ts';
import { typesOf } from './openapi/types.ts';

interface Definition {
  readonly spec: {
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: object } }[];
  };
}

const chart = 'charts/ledgerhouse-crds/templates';

export const crds: Generator = async () => {
  const files = readdirSync('crds')
    .filter((name) => name.endsWith('.yaml'))
    .sort();
  const schemas: Record<string, unknown> = {};
  const result: Record<string, string> = {};
  for (const file of files) {
    const text = readFileSync(`crds/${file}`, 'utf8');
    const { spec } = parse(text) as Definition;
    schemas[spec.names.kind] = spec.versions[0]?.schema.openAPIV3Schema;
    // Uninstalling the chart must not delete all databases.
    result[`${chart}/${file}`] = generated(
      `crds/${file}`,
      text.replace(
        /^ {2}name: .*$/m,
        (line) => `${line}\n  annotations:\n    helm.sh/resource-policy: keep`,
      ),
    );
  }
  for (const file of readdirSync('crds/policies').sort()) {
    const source = `crds/policies/${file}`;
    result[`${chart}/${file}`] = generated(source, readFileSync(source, 'utf8'));
  }
  const types = await typesOf('Ledgerhouse custom resources', schemas);
  result['gen/crds.ts'] = `// Generated from crds/ by \`make gen\`. Not to be edited.\n${types}`;
  return result;
};

const generated = (source: string, text: string) =>
  `# Generated from ${source} by \`make gen\`. Not to be edited.\n${text}`;
