// `npm run bench` measures the gateway beside others, `npm run bench -- variants` beside itself without a part, `npm run bench -- tail`
// where its slowest requests spend their time, `npm run bench -- stress` what a flood and an overload leave,
// `npm run bench -- webhooks` the delivery of events, `npm run bench -- services` what is behind the gateway,
// `npm run bench -- sizes` rows and keys, `npm run bench -- idle` a platform without a request,
// `npm run bench -- forecast` what a change would have refused, `npm run bench -- leaks` how fast a leaked key is refused,
// `npm run bench -- request-log` the log of requests in both stores, `npm run bench -- pages` the dashboard over a million rows,
// `npm run bench -- starts` how soon each service is ready.
const benches: Readonly<Record<string, () => Promise<unknown>>> = {
  gateway: () => import('./gateway.ts'),
  variants: () => import('./variants.ts'),
  tail: () => import('./tail.ts'),
  stress: () => import('./stress.ts'),
  webhooks: () => import('./webhooks.ts'),
  services: () => import('./services.ts'),
  sizes: () => import('./sizes.ts'),
  'request-log': () => import('./request-log.ts'),
  idle: () => import('./idle.ts'),
  forecast: () => import('./forecast.ts'),
  leaks: () => import('./leaks.ts'),
  pages: () => import('./pages.ts'),
  starts: () => import('./starts.ts'),
};

const name = process.argv[2] ?? 'gateway';
const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
if (bench === undefined) {
  process.stderr.write(`There is no bench ${name}; there are ${Object.keys(benches).join(', ')}.\n`);
  process.exit(1);
}
await bench();

export {};
