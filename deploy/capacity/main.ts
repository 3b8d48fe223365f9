// npm run capacity -- --businesses 1e6 --rps 1e6: the parts that a load needs, which of them is the first to saturate, and how
// much of the load one business can be. --help lists all arguments; docs/capacity.md says where the figures come from.
import { parseArgs } from 'node:util';
import { defaultLoad, type Load, planFor } from './plan.ts';

const flagOf = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const flags = Object.keys(defaultLoad).map((name) => [flagOf(name), { type: 'string' }] as const);
const values: Readonly<Record<string, unknown>> = readArguments().values;
if (values.help === true) {
  const lines = Object.entries(defaultLoad).map(([name, value]) => `  --${flagOf(name)} ${value}`);
  process.stdout.write(
    `npm run capacity -- with any of these, and what they are otherwise:\n${lines.join('\n')}\n`,
  );
} else {
  print(readLoad());
}

function readArguments() {
  try {
    return parseArgs({ options: { ...Object.fromEntries(flags), help: { type: 'boolean' } } });
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function readLoad(): Load {
  const numbers = Object.entries(defaultLoad).map(([name, otherwise]) => {
    const text = values[flagOf(name)];
    const value = text === undefined ? otherwise : Number(text);
    if (!Number.isFinite(value) || value < 0) fail(`--${flagOf(name)} is a number, as 1e6`);
    return [name, value];
  });
  return { ...defaultLoad, ...Object.fromEntries(numbers) };
}

function print(load: Load): void {
  const { parts, growth, authorizations, first, hotBusiness } = planFor(load);
  const number = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 3 });
  const line = (text = '') => process.stdout.write(`${text}\n`);
  line(
    `${number(load.businesses)} businesses, ${number(load.rps)} requests/s, ${number(authorizations)} Authorize/s\n`,
  );
  for (const { name, unit, needed, most } of parts) {
    const beyond = most !== undefined && needed > most ? `  (there is ${most})` : '';
    line(
      `${name.padEnd(46)} ${number(most === undefined ? Math.ceil(needed) : needed).padStart(10)} ${unit}${beyond}`,
    );
  }
  line();
  for (const { table, rowsPerDay, bytes } of growth) {
    if (rowsPerDay === 0) continue;
    const kept = table.keptDays === undefined ? 'after a year, without end' : `in ${table.keptDays} days`;
    line(
      `${table.name.padEnd(18)} ${number(rowsPerDay).padStart(15)} rows/day ${number(bytes / 1e9).padStart(10)} GB ${kept}`,
    );
  }
  line(`\nFirst to saturate: ${first.part.name}, at ${number(first.rps)} requests/s of this mix.`);
  const share = Math.min(1, hotBusiness / load.rps);
  line(
    `One business: at most ${number(hotBusiness)} requests/s (${number(100 * share)} %), those of one Redis master.`,
  );
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
