/** Parts of a unit, largest first: from which value on, and its text. */
type Scale = readonly (readonly [from: number, unit: string])[];

const seconds: Scale = [
  [86_400, ' d'],
  [3_600, ' h'],
  [60, ' min'],
  [1, ' s'],
  [1e-3, ' ms'],
  [1e-6, ' µs'],
];

const scales: Readonly<Record<string, Scale>> = {
  s: seconds,
  dtdurations: seconds,
  bytes: [
    [2 ** 30, ' GiB'],
    [2 ** 20, ' MiB'],
    [2 ** 10, ' KiB'],
    [1, ' B'],
  ],
  percentunit: [[0.01, ' %']],
  reqps: [[1, ' req/s']],
  ops: [[1, ' ops/s']],
  short: [
    [1e6, ' Mil'],
    [1e3, ' K'],
    [1, ''],
  ],
};

/** Part of a unit for values up to `max`, or the unit itself if all are 0. @throws for an unknown unit of Grafana */
export function scaleOf(unit: string, max: number): readonly [factor: number, text: string] {
  const scale = scales[unit];
  if (scale === undefined) throw new Error(`No scale for the unit ${unit}`);
  const [factor, text] = scale.find(([from]) => (max || 1) >= 0.95 * from) ?? scale.at(-1) ?? [1, ''];
  return [factor, text];
}

/** Ticks of an axis from 0 to `max` or a little above, at multiples of 1, 2 or 5, about four of them. */
export function ticksTo(max: number): readonly number[] {
  const raw = max / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5].find((each) => each * power >= raw) ?? 10) * power;
  return Array.from({ length: Math.ceil(max / step - 1e-9) + 1 }, (_, index) => index * step);
}
