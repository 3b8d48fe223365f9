// Receiver of the bench: 204 to POST, nothing ever to /dead; GET responds with what has arrived, and forgets it.
import { createServer } from 'node:http';
import type { Arrivals } from './webhooks.ts';

let latencies: number[] = [];
let ids = new Set<string>();
let firstAt = 0;
let lastAt = 0;

createServer({ keepAliveTimeout: 60_000 }, (req, res) => {
  if (req.url === '/dead') return void req.resume();
  if (req.method === 'GET') {
    const arrivals: Arrivals = { latencies, unique: ids.size, spanMs: lastAt - firstAt };
    res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(arrivals));
    [latencies, ids, firstAt] = [[], new Set(), 0];
    return;
  }
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    lastAt = performance.now();
    firstAt ||= lastAt;
    const event: { id: string; timestamp: string } = JSON.parse(Buffer.concat(chunks).toString());
    latencies.push(Date.now() - Date.parse(event.timestamp));
    ids.add(event.id);
    res.writeHead(204).end();
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
