/** The chart's alerts as Prometheus takes them, without Helm: its directives are only around groups and in annotations. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

interface RuleGroup {
  readonly name: string;
  readonly rules: readonly AlertRule[];
}

export function chartRuleGroups(): readonly RuleGroup[] {
  const template = readFileSync('charts/ledgerhouse/templates/prometheus-rules.yaml', 'utf8');
  const text = template
    .slice(template.indexOf('  groups:'), template.lastIndexOf('{{- end }}'))
    .replaceAll(/^ *\{\{- (?:if|end)\b.*\}\}\n/gm, '')
    // What is quoted is a template of Prometheus'.
    .replaceAll(/\{\{ `([^`]*)` \| quote \}\}/g, (_, quoted: string) => JSON.stringify(quoted))
    .replaceAll(/\{\{ printf "([^"]*)" .*? \| quote \}\}/g, '"$1"');
  return (parse(text) as { groups: RuleGroup[] }).groups;
}
