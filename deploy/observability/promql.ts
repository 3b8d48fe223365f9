/** Words of PromQL that stand where the name of a metric could. */
const keywords = new Set(['and', 'or', 'unless', 'bool', 'offset']);

/** Lists of labels after these words hold no metrics. */
const labelLists = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g;

/** Names of the metrics in an expression. promtool checks the syntax; this only needs to find the names. */
export function metricsInExpression(expression: string): ReadonlySet<string> {
  const bare = expression
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(labelLists, '')
    .replaceAll(/\boffset\s+\w+/g, '');
  const names = [...bare.matchAll(/(?<![\w:.])([a-zA-Z_:][\w:]*)(?!\w*\s*\()/g)].map(([, name = '']) => name);
  return new Set(names.filter((name) => !keywords.has(name)));
}

/** Names of the labels by which an expression selects, groups and joins. */
export function labelsInExpression(expression: string): ReadonlySet<string> {
  const bare = expression.replaceAll(/"[^"]*"/g, '""');
  const grouped = [...bare.matchAll(labelLists)].map(([list]) => list.replace(/^[^(]*/, ''));
  const selected = [...bare.matchAll(/\{[^}]*\}/g)].map(([selector]) => selector);
  return new Set([...grouped, ...selected].flatMap((list) => list.match(/\w+/g) ?? []));
}

/** Names under which Prometheus stores a metric of a type. */
export function seriesOf({
  name,
  type,
}: {
  readonly name: string;
  readonly type: string;
}): readonly string[] {
  return type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}
