// Loaded into a gateway by `npm run bench -- tail`: notes when each request passed its stages, and what the garbage collector
// did meanwhile. SIGUSR2 writes what was noted since the last one to stages-<pid>.json in the directory of temporary files.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import { Exchange } from '../src/edge/exchange.ts';

/** A request: monotonic milliseconds. */
type Noted = readonly [startedAt: number, forwardedAt: number, upstreamAt: number, endedAt: number];

let requests: Noted[] = [];
let collections: (readonly [startedAt: number, endedAt: number])[] = [];

const { adopt } = Exchange.prototype;
Exchange.prototype.adopt = function (response) {
  this.atEnd(() => {
    const { startedAt, forwardedAt, upstreamAt } = this;
    if (upstreamAt > 0) requests.push([startedAt, forwardedAt, upstreamAt, performance.now()]);
  });
  return adopt.call(this, response);
};

new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) {
    collections.push([startTime, startTime + duration]);
  }
}).observe({ entryTypes: ['gc'] });

process.on('SIGUSR2', () => {
  writeFileSync(join(tmpdir(), `stages-${process.pid}.json`), JSON.stringify({ requests, collections }));
  requests = [];
  collections = [];
});
