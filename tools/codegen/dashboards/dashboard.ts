/** A dashboard as Grafana imports it. */
import { laidOut, type Row } from './panels.ts';

/** A choice above the dashboard: the values of a label. */
interface Variable {
  readonly name: string;
  readonly label: string;
  readonly metric: string;
  readonly of: string;
}

export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly variables: readonly Variable[];
  readonly rows: readonly Row[];
}

export function dashboardJson({ uid, title, description, variables, rows }: Dashboard): string {
  const dashboard = {
    uid,
    title,
    description,
    tags: ['ledgerhouse'],
    // Grafana 10.4; later ones read it.
    schemaVersion: 39,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    links: [
      {
        type: 'dashboards',
        title: 'Ledgerhouse',
        tags: ['ledgerhouse'],
        asDropdown: false,
        includeVars: true,
        keepTime: true,
      },
    ],
    annotations: { list: [] },
    templating: { list: [datasource, ...variables.map(shown)] },
    panels: laidOut(rows),
  };
  return `${JSON.stringify(dashboard, undefined, 2)}\n`;
}

const datasource = {
  name: 'datasource',
  label: 'Prometheus',
  type: 'datasource',
  query: 'prometheus',
  current: {},
  hide: 0,
};

const shown = ({ name, label, metric, of }: Variable) => ({
  name,
  label,
  type: 'query',
  datasource: { type: 'prometheus', uid: '${datasource}' },
  query: { query: `label_values(${metric}, ${of})`, refId: name },
  definition: `label_values(${metric}, ${of})`,
  // 2: read again whenever the time changes.
  refresh: 2,
  sort: 1,
  current: {},
  hide: 0,
});
