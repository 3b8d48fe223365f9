import { totalOf, type UsagePoint, type UsageUnit, usageClasses } from './usage-point.ts';

const count = new Intl.NumberFormat('en');
const formats: Readonly<Record<UsageUnit, Intl.DateTimeFormat>> = {
  hour: new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }),
  // A date alone is read as midnight in UTC.
  day: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
};

/** An hour or a day, in a few letters. */
export const labelOf = (at: string, unit: UsageUnit): string => formats[unit].format(new Date(at));

/** What the chart shows, in a sentence. */
export function describeUsage(points: readonly UsagePoint[], unit: UsageUnit): string {
  const [first, last] = [points.at(0), points.at(-1)];
  const total = points.reduce((sum, point) => sum + totalOf(point), 0);
  if (first === undefined || last === undefined || total === 0) return 'No requests in this time.';
  const parts = usageClasses.map(({ name, label }) => {
    const sum = points.reduce((before, point) => before + point[name], 0);
    return `${count.format(sum)} with ${label}`;
  });
  const busiest = points.reduce((best, point) => (totalOf(point) > totalOf(best) ? point : best));
  return (
    `${count.format(total)} requests from ${labelOf(first.at, unit)} to ${labelOf(last.at, unit)}: ${parts.join(', ')}. ` +
    `The busiest ${unit} was ${labelOf(busiest.at, unit)} with ${count.format(totalOf(busiest))}.`
  );
}
