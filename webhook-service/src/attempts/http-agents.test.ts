import http from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { respondWith, response, startReceiver } from '../../testing/receiver.ts';
import { createLookup } from '../addresses/lookup.ts';
import { createReceiverAgents, type ReceiverAgents, type ReceiverRequestOptions } from './http-agents.ts';

const rules = { allowedNetworks: [], allowedPorts: new Set<number>(), allowsLoopback: true };

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const resource of open.splice(0).toReversed()) await resource.close();
});

async function startBoth(now?: () => number) {
  const receiver = await startReceiver({ onData: respondWith(response(200)) });
  const agents = createReceiverAgents(createLookup({ rules }).lookup, now);
  open.push(receiver, agents);
  return { receiver, agents };
}

/** Sends a request and reads its response. */
function send({ kept }: ReceiverAgents, endpointUrl: string): Promise<void> {
  const options: ReceiverRequestOptions = { method: 'POST', agent: kept['http:'], endpointUrl };
  return new Promise((resolve, reject) => {
    const request = http.request(endpointUrl, options, (it) => it.resume().on('close', resolve));
    request.on('error', reject).end('{}');
  });
}

test('a connection is reused for a minute and then replaced', async () => {
  let now = 0;
  const { receiver, agents } = await startBoth(() => now);
  const url = `http://127.0.0.1:${receiver.port}/`;
  const connections: number[] = [];
  for (now of [0, 30_000, 59_999, 60_000, 60_001]) {
    await send(agents, url);
    connections.push(receiver.connections);
  }
  // The fourth request still has the first connection, which is not kept after it.
  expect(connections).toEqual([1, 1, 1, 1, 2]);
});

test('at most 256 connections of all endpoints stay idle', async () => {
  const { receiver, agents } = await startBoth();
  // A busy machine needs longer for all of them than a connection may stay idle.
  Object.assign(Reflect.get(agents.kept['http:'], 'options'), { timeout: 600_000 });
  const urls = Array.from({ length: 300 }, (_, index) => `http://127.0.0.1:${receiver.port}/${index}`);
  await Promise.all(urls.map((url) => send(agents, url)));
  const idle = Object.values(agents.kept['http:'].freeSockets).flatMap((sockets) => sockets ?? []);
  expect(idle.length).toBe(256);
});

test('closing ends idle connections', async () => {
  const { receiver, agents } = await startBoth();
  await send(agents, `http://127.0.0.1:${receiver.port}/`);
  agents.close();
  await receiver.allClosed();
});
