import type { FieldConfigSource, Dashboard as GrafanaDashboard, Panel } from '@grafana/schema';
import type { PrometheusDataQuery } from '@grafana/schema/dist/esm/raw/composable/prometheus/dataquery/x/PrometheusDataQuery_types.gen.js';
import type {
  FieldConfig as TimeSeriesFields,
  Options as TimeSeriesOptions,
} from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen.js';

/** A type of Grafana's as JSON has it: an enumeration is its values. */
type InJson<T> = T extends string
  ? `${T}`
  : T extends readonly (infer Item)[]
    ? readonly InJson<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: InJson<T[Name]> }
      : T;

/** A panel for graphs. Grafana's general type of panels does not specify options and queries. */
interface TimeSeriesPanel extends Omit<Panel, 'type' | 'options' | 'fieldConfig' | 'targets'> {
  type: 'timeseries';
  options: TimeSeriesOptions;
  fieldConfig: FieldConfigSource<TimeSeriesFields>;
  targets: PrometheusDataQuery[];
}

/** Units of Grafana. */
type Unit = 'reqps' | 's' | 'percentunit' | 'short' | 'bytes' | 'dtdurations' | 'ops';

/** A graph: what it shows, and expressions with the text of their lines. */
export interface Graph {
  readonly title: string;
  readonly unit: Unit;
  /** By expression, the label whose values name its lines, or the name of its only line. */
  readonly lines: Readonly<Record<string, string>>;
  readonly description?: string;
  /** Shows traces of single requests as points, for a histogram with exemplars. */
  readonly exemplars?: true;
}

/** A dashboard: graphs, three beside each other. */
export interface Dashboard {
  /** Also the name of its file. */
  readonly uid: string;
  readonly title: string;
  readonly graphs: readonly Graph[];
}

const perRow = 3;
/** Grafana's grid has 24 columns. */
const width = 24 / perRow;
const height = 8;

const datasource = { type: 'prometheus', uid: '$datasource' };

/** The dashboard as Grafana provisions it. The data source is chosen on its page. */
export function toGrafana({ uid, title, graphs }: Dashboard) {
  return {
    uid: `business-api-${uid}`,
    title: `Business API: ${title}`,
    tags: ['business-api'],
    editable: false,
    schemaVersion: 39,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    templating: {
      list: [{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }],
    },
    panels: graphs.map((graph, index) => toPanel(graph, index)),
  } satisfies InJson<GrafanaDashboard>;
}

function toPanel({ title, unit, lines, description, exemplars }: Graph, index: number) {
  return {
    id: index + 1,
    type: 'timeseries',
    title,
    ...(description !== undefined && { description }),
    datasource,
    gridPos: {
      x: (index % perRow) * width,
      y: Math.floor(index / perRow) * height,
      w: width,
      h: height,
    },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    options: {
      legend: { showLegend: true, displayMode: 'list', placement: 'bottom', calcs: [] },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
    targets: Object.entries(lines).map(
      ([expr, legendFormat], target) =>
        ({
          refId: String.fromCharCode('A'.charCodeAt(0) + target),
          datasource,
          expr,
          legendFormat,
          ...(exemplars && { exemplar: true }),
        }) satisfies InJson<PrometheusDataQuery>,
    ),
  } satisfies InJson<TimeSeriesPanel>;
}

/** Quantiles of a histogram, as lines. */
export function quantiles(name: string, by = '', selector = ''): Record<string, string> {
  const labels = by === '' ? 'le' : `le, ${by}`;
  const suffix = by === '' ? '' : ` {{${by}}}`;
  const quantile = (q: number) =>
    `histogram_quantile(${q}, sum by (${labels}) (rate(${name}_bucket${selector}[$__rate_interval])))`;
  return by === ''
    ? { [quantile(0.5)]: 'p50', [quantile(0.99)]: 'p99' }
    : { [quantile(0.99)]: `p99${suffix}` };
}

/** Rate of a counter by one label, as lines. */
export const rates = (name: string, by: string, selector = ''): Record<string, string> => ({
  [`sum by (${by}) (rate(${name}${selector}[$__rate_interval]))`]: `{{${by}}}`,
});
