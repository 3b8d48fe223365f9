// Receiver of the bench: 204 to POST, nothing ever to /dead; GET responds with what has arrived since the last one.
import { createServer } from 'node:http';
import type { Arrivals } from './webhook-load.ts';

interface ReceivedEvent {
  readonly id: string;
  readonly timestamp: string;
  readonly sequence: number;
  readonly previous: number;
}

const none = { latencies: [] as number[], unique: 0, wrongPrevious: 0, spanMs: 0 };
let arrivals: typeof none = { ...none };
const ids = new Set<string>();
let firstAt = 0;

createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
  if (req.url === '/dead') return void req.resume();
  if (req.method === 'GET') {
    const response: Arrivals = arrivals;
    res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(response));
    arrivals = { ...none, latencies: [] };
    firstAt = 0;
    return;
  }
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const now = performance.now();
    firstAt ||= now;
    arrivals.spanMs = now - firstAt;
    const event: ReceivedEvent = JSON.parse(Buffer.concat(chunks).toString());
    arrivals.latencies.push(Date.now() - Date.parse(event.timestamp));
    if (!ids.has(event.id)) arrivals.unique += 1;
    ids.add(event.id);
    // Every event of the bench is due to its endpoint.
    if (event.previous !== event.sequence - 1) arrivals.wrongPrevious += 1;
    res.writeHead(204).end();
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
