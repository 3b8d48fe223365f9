// What WebSockets cost: memory of a gateway with 1,000 open ones, and the throughput of messages of 1 kB that the upstream sends
// back, with the gateway's CPU per message, beside a direct connection. Upstream and clients share the other processor.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { createCheckedToken } from '@platform/service-kit/secrets/checked-token.ts';
import { closeClients, openWebSocket } from '../testing/websocket-client.ts';
import { GatewayProcess } from '../testing/websocket-process.ts';
import { accept, echoBytes, WebSocketUpstream } from '../testing/websocket-upstream.ts';

const count = 1_000;
const messageBytes = 1_024;
const seconds = 5;

const upstream = await WebSocketUpstream.start();
upstream.onHandshake = accept(echoBytes);
const gateway = await GatewayProcess.start({ upstreamPort: upstream.port });

/** 32 WebSockets each, 4 of them in a business. */
const keys = Array.from({ length: Math.ceil(count / 32) }, () => createCheckedToken('sk'));
gateway.allow(
  Object.fromEntries(
    keys.map((key, index) => {
      const id = `key_${index}`;
      return [key, { credentialId: id, limitId: id, businessId: 1 + Math.floor(index / 4) }];
    }),
  ),
);

async function openThrough(index: number) {
  const bearer = keys[Math.floor(index / 32)] ?? '';
  const lines = [`X-Forwarded-For: 192.0.2.${1 + Math.floor(index / 128)}`];
  const opened = await openWebSocket({ port: gateway.port, bearer, lines });
  if (opened.status !== 101) throw new Error(`handshake ${index}: ${opened.status}`);
  return opened.socket;
}

const openDirectly = async () => (await openWebSocket({ port: upstream.port, path: '/' })).socket;

/** Milliseconds of CPU that a process has used. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Messages per second over some connections, each with one message on its way. */
async function echo(sockets: Awaited<ReturnType<typeof openDirectly>>[]): Promise<number> {
  const message = Buffer.alloc(messageBytes, 'm');
  let received = 0;
  let isOver = false;
  for (const socket of sockets) {
    let pending = messageBytes;
    socket.on('data', (chunk: Buffer) => {
      pending -= chunk.length;
      if (pending > 0) return;
      pending += messageBytes;
      received++;
      if (!isOver) socket.write(message);
    });
    socket.write(message);
  }
  await pause(1_000);
  const before = received;
  await pause(seconds * 1_000);
  isOver = true;
  return (received - before) / seconds;
}

const line = (text: string) => process.stdout.write(`${text}\n`);

// Once before, so that code and caches of the process are not counted.
await Promise.all(Array.from({ length: 100 }, (_, index) => openThrough(index)));
closeClients();
await pause(2_000);
const before = gateway.residentBytes();
const sockets = [];
for (let index = 0; index < count; index++) sockets.push(await openThrough(index));
await pause(2_000);
line(`${count} open WebSockets: ${Math.round((gateway.residentBytes() - before) / count / 1_024)} kB each`);
const idleFrom = cpuMs(gateway.pid);
await pause(10_000);
line(
  `${count} open WebSockets without a byte: ${((cpuMs(gateway.pid) - idleFrom) / 100).toFixed(1)} % of a core`,
);

for (const connections of [1, 100]) {
  const from = cpuMs(gateway.pid);
  const perSecond = await echo(sockets.splice(0, connections));
  const usedMs = cpuMs(gateway.pid) - from;
  const direct = await echo(await Promise.all(Array.from({ length: connections }, openDirectly)));
  line(
    `${connections} connections, messages of 1 kB and back: ${Math.round(perSecond)}/s, direct ${Math.round(direct)}/s, ` +
      `${Math.round((usedMs * 1_000) / (perSecond * (seconds + 1)))} µs of CPU each`,
  );
}
closeClients();
gateway.kill();
upstream.close();
process.exit();
