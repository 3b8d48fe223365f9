// `npm run bench` measures the gateway, `npm run bench -- webhooks` the delivery of events.
const benches: Readonly<Record<string, () => Promise<unknown>>> = {
  gateway: () => import('./gateway.ts'),
  webhooks: () => import('./webhooks.ts'),
};

const name = process.argv[2] ?? 'gateway';
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (bench === undefined) {
  process.stderr.write(`There is no bench ${name}, but ${Object.keys(benches).join(' and ')}.\n`);
  process.exit(1);
}
await bench();

export {};
