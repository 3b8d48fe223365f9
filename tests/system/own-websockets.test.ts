import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { closeClients, type Opened, openWebSocket } from '../../gateway/testing/websocket-client.ts';
import { WebSocketUpstream } from '../../gateway/testing/websocket-upstream.ts';
import { expectEventually } from '../harness/expect-eventually.ts';
import { logLines } from '../harness/log-lines.ts';
import { connect } from '../harness/oauth.ts';
import { ownDocuments } from '../harness/own-documents.ts';
import { startPlatform } from '../harness/platform.ts';
import { newApplication } from '../harness/registered-application.ts';
import { running } from '../harness/running.ts';

/* WebSockets of an operator's service, through gateways and identity-service as they are. */

/** Time for two handshakes on a busy machine. */
const tokenSeconds = 15;

let upstream: WebSocketUpstream;
beforeAll(async () => {
  upstream = await WebSocketUpstream.start();
});
afterAll(() => upstream.close());
const platform = running(() => {
  const API_DIR = ownDocuments(`http://127.0.0.1:${upstream.port}`);
  const identityEnv = { API_DIR, ACCESS_TOKEN_SECONDS: String(tokenSeconds) };
  return startPlatform({ gateways: 2, identityEnv, gatewayEnv: { API_DIR } });
});
afterEach(() => {
  closeClients();
  upstream.reset();
});

const scopes = ['invoices:read'];
const newKey = () => platform.createKey({ type: 'restricted', scopes });

/** Of the client's connection, and of that at the upstream. */
function areOver({ socket, headers }: Opened): readonly boolean[] {
  const id = headers['x-request-id'];
  const received = upstream.handshakes.find((request) => request.headers['x-request-id'] === id);
  return [socket, received?.socket].map((end) => end?.readableEnded === true || end?.destroyed === true);
}

const over = [true, true];
const open = [false, false];

async function openAt(gateway: number, bearer: string) {
  const opened = await openWebSocket({
    port: platform.gatewayPorts[gateway] ?? 0,
    path: '/v2/invoices/changes',
    bearer,
  });
  opened.socket.resume();
  return opened;
}

describe('A WebSocket of an operator’s service', () => {
  test('echoes bytes, with a passport for that service.', async () => {
    const { status, socket } = await openAt(0, (await newKey()).keyString);
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

  test.each(['deleted', 'rotated', 'frozen', 'left without its scope'])(
    'ends on every gateway when its key is %s, and others stay open.',
    async (change) => {
      const [key, other] = [await newKey(), await newKey()];
      const own = [await openAt(0, key.keyString), await openAt(1, key.keyString)];
      const others = [await openAt(0, other.keyString), await openAt(1, other.keyString)];
      expect([...own, ...others].map(({ status }) => status)).toEqual([101, 101, 101, 101]);
      if (change === 'deleted') await platform.deleteKey(key);
      else if (change === 'rotated') await platform.rotateKey(key);
      else if (change === 'frozen') await platform.freezeKey(key);
      else await platform.updateKey(key, { scopes: ['orders:read'] });
      await expectEventually(() => expect(own.map(areOver)).toEqual([over, over]), { withinMs: 2_000 });
      expect(others.map(areOver)).toEqual([open, open]);
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

  test('ends on every gateway when its access token expires.', async () => {
    const { app, person } = await newApplication(platform, { scopes });
    const { accessToken } = await connect(platform, person.browser, app);
    const opened = [await openAt(0, accessToken), await openAt(1, accessToken)];
    expect(opened.map(({ status }) => status)).toEqual([101, 101]);
    expect(opened.map(areOver)).toEqual([open, open]);
    await expectEventually(() => expect(opened.map(areOver)).toEqual([over, over]), {
      withinMs: tokenSeconds * 1_000 + 5_000,
    });
    const { status } = await platform.request(0, 'GET', '/v2/invoices', { key: accessToken });
    expect(status).toBe(401);
  });

  test('does not keep a gateway from stopping.', async () => {
    const opened = await openAt(1, (await newKey()).keyString);
    expect(await platform.gateways[1]?.stop()).toEqual({ code: 0, signal: null });
    expect(areOver(opened)).toEqual(over);
  });
});
