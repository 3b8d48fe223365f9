import type { MetricsFormat } from '@platform/service-kit/telemetry/metrics.ts';

/** The text of one metric over all workers: its HELP and TYPE once, then the samples of each. */
interface Family {
  readonly header: readonly string[];
  readonly samples: string[];
}

/** Last line of the OpenMetrics format, which does not allow empty lines. */
const endOfMetrics = '# EOF';

/**
 * Merges the metrics of several workers. Their samples differ by the label of the worker, so none are summed. Both formats
 * require the lines of a metric to be adjacent, with HELP and TYPE once.
 */
export function mergeMetrics(texts: readonly string[], format: MetricsFormat): string {
  const families = new Map<string, Family>();
  for (const block of texts.flatMap((text) => text.split(/^(?=# HELP )/m))) {
    const lines = block.split('\n').filter((line) => line !== '' && line !== endOfMetrics);
    const header = lines.filter((line) => line.startsWith('#'));
    const name = header[0]?.split(' ')[2];
    if (name === undefined) continue;
    const family = families.get(name) ?? { header, samples: [] };
    families.set(name, family);
    family.samples.push(...lines.filter((line) => !line.startsWith('#')));
  }
  const merged = [...families.values()].map(
    ({ header, samples }) => `${[...header, ...samples].join('\n')}\n`,
  );
  return format === 'text' ? merged.join('\n') : `${merged.join('')}${endOfMetrics}\n`;
}
