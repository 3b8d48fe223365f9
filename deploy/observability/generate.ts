// Generates files for other programs from the sources in this folder: node deploy/observability/generate.ts [ROOT]
// dashboards.ts becomes dashboards/*.json for Grafana, rules.yml an object of the Prometheus operator.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { toGrafana } from './dashboard.ts';
import { dashboards } from './dashboards.ts';
import { readRules } from './rules.ts';

const root = process.argv[2] ?? resolve(import.meta.dirname, '../..');

function write(path: string, content: string): void {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

for (const dashboard of dashboards) {
  const content = JSON.stringify(toGrafana(dashboard), null, 2);
  write(`deploy/observability/dashboards/${dashboard.uid}.json`, `${content}\n`);
}

const prometheusRule = {
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: { name: 'business-api' },
  spec: { groups: readRules().groups },
};
write(
  'deploy/kubernetes/overlays/production/monitoring/rules.yaml',
  `# From deploy/observability/rules.yml, by npm run generate.\n${stringify(prometheusRule, { lineWidth: 0 })}`,
);
