// A steady load from inside the cluster, until /tmp/stop exists: node load.ts URL KEY RATE MAX_IN_FLIGHT
// The last line of its output is JSON: how many requests were sent, and how they ended.
import { existsSync, rmSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout } from 'node:timers/promises';

const [url = '', key = '', rate = '20', maxInFlight = '20'] = process.argv.slice(2);
const stopFile = '/tmp/stop';

// Shorter than any server's own time-out: a connection that the server is about to close is not used again.
const agent = new Agent({ keepAlive: true, timeout: 4_000 });
const ends: Record<string, number> = {};
const underWay = new Set<Promise<void>>();

/** Resolves to the status of one request, or to the code of its error. */
function send(): Promise<string> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}` };
    const request = get(url, { agent, headers, timeout: 15_000 }, (response) => {
      response.resume();
      response.on('error', () => resolve('cut')).on('end', () => resolve(String(response.statusCode)));
    });
    request.on('timeout', () => request.destroy(new Error('timeout')));
    request.on('error', (error) => resolve('code' in error ? String(error.code) : error.message));
  });
}

rmSync(stopFile, { force: true });
const beganAt = performance.now();
let sent = 0;
let due = 0;
while (!existsSync(stopFile)) {
  due = Math.max(due, Math.floor(((performance.now() - beganAt) / 1_000) * Number(rate)));
  for (; sent < due && underWay.size < Number(maxInFlight); sent++) {
    const one = send().then((end) => {
      ends[end] = (ends[end] ?? 0) + 1;
      if (end !== '200') console.log(`${new Date().toISOString()} ${end}`);
      underWay.delete(one);
    });
    underWay.add(one);
  }
  await setTimeout(5);
}
await Promise.all(underWay);
console.log(JSON.stringify({ sent, failed: sent - (ends['200'] ?? 0), ends }));
