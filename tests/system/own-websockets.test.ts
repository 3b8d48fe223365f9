import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { closeClients, openWebSocket } from '../../gateway/testing/websocket-client.ts';
import { accept, echoBytes, WebSocketUpstream } from '../../gateway/testing/websocket-upstream.ts';
import type { TestKey } from '../harness/api-keys.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { logLines } from '../harness/log-lines.ts';
import { metricOf } from '../harness/metrics.ts';
import { ownDocuments } from '../harness/own-documents.ts';
import { startPlatform } from '../harness/platform.ts';
import { running } from '../harness/running.ts';

/* WebSockets of an operator's service, through gateways and identity-service as they are. */

let upstream: WebSocketUpstream;
beforeAll(async () => {
  upstream = await WebSocketUpstream.start();
});
afterAll(() => upstream.close());
const platform = running(() => {
  const API_DIR = ownDocuments(`http://127.0.0.1:${upstream.port}`);
  return startPlatform({ gateways: 2, identityEnv: { API_DIR }, gatewayEnv: { API_DIR } });
});
afterEach(closeClients);

const scopes = ['invoices:read'];
const newKey = () => platform.createKey({ type: 'restricted', scopes });

async function open({ keyString: bearer }: TestKey, gateway: number) {
  const opened = await openWebSocket({
    port: platform.gatewayPorts[gateway] ?? 0,
    path: '/v2/invoices/changes',
    bearer,
  });
  opened.socket.resume();
  return opened;
}

const openNow = (gateway: number) =>
  metricOf(platform.gateways[gateway], 'gateway_websockets', { upstream: 'invoices' });

describe('A WebSocket of an operator’s service', () => {
  test('echoes bytes, with a passport for that service.', async () => {
    const { status, socket } = await open(await newKey(), 0);
    expect(status).toBe(101);
    const headers = upstream.handshakes.at(-1)?.headers;
    const [, claims = ''] = String(headers?.['x-passport']).split('.');
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      aud: 'invoices',
      scope: 'invoices:read',
    });
    socket.write('hello');
    expect(String((await once(socket, 'data'))[0])).toBe('hello');
  });

  test.each(['deleted', 'rotated', 'left without its scope'])(
    'ends on every gateway within seconds when its key is %s, and others stay open.',
    async (change) => {
      upstream.onHandshake = accept(echoBytes);
      const [key, other] = [await newKey(), await newKey()];
      const own = [await open(key, 0), await open(key, 1)];
      const others = [await open(other, 0), await open(other, 1)];
      expect([...own, ...others].map(({ status }) => status)).toEqual([101, 101, 101, 101]);
      if (change === 'deleted') await platform.deleteKey(key);
      else if (change === 'rotated') await platform.rotateKey(key);
      else await platform.updateKey(key, { scopes: ['orders:read'] });
      for (const gateway of [0, 1]) {
        await expectEventually(async () => expect(await openNow(gateway)).toBe(1), { withinMs: 5_000 });
      }
      expect(own.map(({ socket }) => socket.readableEnded || socket.destroyed)).toEqual([true, true]);
      expect(others.map(({ socket }) => socket.readableEnded || socket.destroyed)).toEqual([false, false]);
      const requestId = own[0]?.headers['x-request-id'];
      await expectEventually(
        () => {
          const lines = platform.gateways.flatMap(logLines);
          const ended = { status: 101, refusal: 'access_ended' };
          expect(lines.filter((line) => line.requestId === requestId)).toMatchObject([ended]);
        },
        { withinMs: 2_000 },
      );
    },
  );

  test('does not keep a gateway from stopping.', async () => {
    const { socket } = await open(await newKey(), 1);
    await Promise.all([platform.gateways[1]?.stop(), once(socket, 'close')]);
    expect(platform.gateways[1]?.isRunning()).toBe(false);
  });
});
