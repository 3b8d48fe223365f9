// `npm run bench -- variants`: the gateway beside itself without a part, and with one that is off where it is not asked for.
import { startTraceCollector } from '../harness/trace-collector.ts';
import { compare } from './side-by-side.ts';

const collector = await startTraceCollector();
try {
  await compare(
    [
      { name: 'gateway', env: {} },
      { name: 'gateway without the line of a request', env: { LOG_LEVEL: 'warn' } },
      { name: 'gateway, cache off', env: { ANSWER_CACHE: 'off' } },
      {
        name: 'gateway with traces of 1 %',
        env: { OTLP_ENDPOINT: collector.endpoint, TRACE_SAMPLE_RATE: '0.01' },
      },
    ],
    [{ name: 'gateway without authorize and admit', path: 'gateway/bench/forward-only.ts' }],
  );
} finally {
  await collector.close();
}
