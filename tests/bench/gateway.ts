// `npm run bench`: the gateway beside servers that do what it does, or less.
import { installPeers, peers } from './peers.ts';
import { compare } from './side-by-side.ts';

await compare(
  [
    { name: 'gateway', env: {} },
    { name: 'gateway that reports', env: { REPORT_INTERVAL_MS: '3000' } },
  ],
  [
    { name: 'Express + http-proxy-middleware, bare', path: 'tests/bench/bare-proxy.ts' },
    ...(installPeers() ? peers : []),
  ],
);
