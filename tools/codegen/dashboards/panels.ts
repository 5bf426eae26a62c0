/** Parts of Grafana's dashboards: panels, and rows of panels that share the width. */

/** Units as Grafana names them. */
type Unit = 'short' | 's' | 'bytes' | 'Bps' | 'reqps' | 'percentunit' | 'dateTimeFromNow';

export interface Target {
  readonly expr: string;
  /** Name of each line, with `{{label}}` for the value of a label; empty: the only line has the panel's title. */
  readonly legend: string;
}

export interface Panel {
  readonly kind: 'timeseries' | 'stat' | 'table';
  readonly title: string;
  /** Explanation for a person who sees it. */
  readonly says: string;
  readonly unit: Unit;
  readonly targets: readonly Target[];
  /** Value from which it is shown in red. */
  readonly badFrom?: number;
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

type Options = Pick<Panel, 'says'> & Partial<Pick<Panel, 'unit' | 'badFrom'>>;

const panel =
  (kind: Panel['kind']) =>
  (title: string, options: Options, ...targets: readonly Target[]): Panel => ({
    kind,
    title,
    unit: 'short',
    ...options,
    targets,
  });

export const lines = panel('timeseries');
export const figure = panel('stat');
export const list = panel('table');

const width = 24;
const heights: Readonly<Record<Panel['kind'], number>> = { stat: 4, timeseries: 8, table: 8 };
const perLine: Readonly<Record<Panel['kind'], number>> = { stat: 6, timeseries: 3, table: 2 };

const datasource = { type: 'prometheus', uid: '${datasource}' };

/** The rows as Grafana has them: a heading, then its panels from left to right. */
export function laidOut(rows: readonly Row[]): readonly object[] {
  const placed: object[] = [];
  let y = 0;
  for (const { title, panels } of rows) {
    placed.push({
      id: placed.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: width, h: 1 },
      panels: [],
    });
    y += 1;
    let x = 0;
    let height = 0;
    for (const one of panels) {
      const w = width / perLine[one.kind];
      if (x + w > width) {
        y += height;
        [x, height] = [0, 0];
      }
      const h = heights[one.kind];
      placed.push({ id: placed.length + 1, gridPos: { x, y, w, h }, ...shown(one) });
      x += w;
      height = Math.max(height, h);
    }
    y += height;
  }
  return placed;
}

function shown({ kind, title, says, unit, targets, badFrom }: Panel): object {
  return {
    type: kind,
    title,
    description: says,
    datasource,
    targets: targets.map(({ expr, legend }, index) => ({
      refId: String.fromCodePoint(65 + index),
      datasource,
      expr,
      legendFormat: legend === '' ? title : legend,
      ...(kind === 'timeseries' ? { range: true } : { instant: true }),
      ...(kind === 'table' && { format: 'table' }),
    })),
    fieldConfig: {
      defaults: {
        unit,
        ...(kind === 'timeseries' && {
          custom: { lineWidth: 1, fillOpacity: 8, showPoints: 'never', spanNulls: false },
        }),
        thresholds: {
          mode: 'absolute',
          steps: [
            { color: kind === 'stat' && badFrom !== undefined ? 'green' : 'text', value: null },
            ...(badFrom === undefined ? [] : [{ color: 'red', value: badFrom }]),
          ],
        },
      },
      overrides: [],
    },
    options: optionsOf[kind],
    ...(kind === 'table' && {
      transformations: [{ id: 'organize', options: { excludeByName: { Time: true } } }],
    }),
  };
}

const optionsOf: Readonly<Record<Panel['kind'], object>> = {
  timeseries: {
    legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  stat: {
    colorMode: 'value',
    graphMode: 'area',
    reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
  },
  table: { showHeader: true },
};
