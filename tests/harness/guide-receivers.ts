import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { type Child, startChild, untilReady } from '../../deploy/local/process/child.ts';
import { freePort } from '../../deploy/local/process/free-port.ts';
import { expectEventually } from './expect-eventually.ts';
import { type HttpResponse, request } from './http-request.ts';
import { runDirectory } from './run-directory.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const python = () => process.env.PYTHON ?? 'python3';

/** How a receiver of the guide is run: its command in its directory, and files around those of the guide. */
interface Recipe {
  readonly command: (port: number) => readonly string[];
  readonly files?: Readonly<Record<string, string>>;
}

/** Serves a route handler as Next.js does: a Request in, a Response out. */
const nextServer = `
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { POST } from './app/hook/route.js';
createServer(async (req, res) => {
  const sent = { headers: req.headers, body: Readable.toWeb(req), duplex: 'half' };
  const { status } = await POST(new Request('http://x/hook', { method: 'POST', ...sent }));
  res.writeHead(status).end();
}).listen(process.env.PORT);`;

const djangoServer = `
import sys
from django.conf import settings
from django.core.management import execute_from_command_line
from django.urls import path
settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], SECRET_KEY="of a test", USE_TZ=True)
import views
urlpatterns = [path("hook", views.hook)]
execute_from_command_line(["manage.py", "runserver", "--noreload", sys.argv[1]])`;

const node = { command: () => [process.execPath, 'receiver.mjs'] };

const recipes: Readonly<Record<string, Recipe>> = {
  Express: node,
  Fastify: node,
  'Node.js without packages': node,
  'Next.js': {
    command: () => [process.execPath, 'server.mjs'],
    files: { 'server.mjs': nextServer, 'package.json': '{"type":"module"}' },
  },
  Python: { command: () => [python(), '-B', 'receiver.py'] },
  FastAPI: {
    command: (port) => [python(), '-B', '-m', 'uvicorn', 'receiver:app', '--port', String(port)],
  },
  Django: {
    command: (port) => [python(), '-B', 'server.py', `127.0.0.1:${port}`],
    files: { 'server.py': djangoServer },
  },
};

/** A receiver of the guide "Receive webhooks" as a process, on a port that is known before its secret. */
export interface GuideReceiver {
  readonly url: string;
  /** @param modules directory whose node_modules it imports from */
  start(secret: string, modules?: string): Promise<void>;
  /** Orders of the events that it has handled, with their types, in the order of its output. */
  handled(): string[];
  /** Sends a request of a stranger. */
  post(headers: Readonly<Record<string, string>>, body: string): Promise<HttpResponse>;
  /** Begins an upload and breaks it off; resolves when the receiver has closed the connection too. */
  breakOff(): Promise<void>;
  stop(): Promise<unknown>;
}

/** The receiver of a section of the guide. @throws when there is no such section */
export async function prepareReceiver(section: string): Promise<GuideReceiver> {
  const recipe = recipes[section];
  if (recipe === undefined) throw new Error(`no recipe for ${section}`);
  const port = await freePort();
  const { newDirectory, newLogFile, records } = runDirectory();
  const logFile = newLogFile(`receiver-${section}`);
  let child: Child | undefined;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    start: async (secret, modules = root) => {
      const directory = newDirectory('receiver');
      symlinkSync(join(modules, 'node_modules'), join(directory, 'node_modules'));
      // The module that the sections of Python share.
      const shared = section === 'Python' || recipe.command(0)[0] === python() ? filesOf('Python') : {};
      const files = { ...shared, ...filesOf(section), ...recipe.files };
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(directory, name)), { recursive: true });
        writeFileSync(join(directory, name), text);
      }
      const [command = '', ...args] = recipe.command(port);
      const env = { PATH: process.env.PATH ?? '', PORT: String(port), WEBHOOK_SECRET: secret };
      const inside = ['-C', directory, command, ...args];
      child = await startChild({ name: section, command: 'env', args: inside, env, logFile, records });
      await untilReady(child, () => request(port, 'GET', '/', { headers: { Connection: 'close' } }), 60_000);
    },
    handled: () =>
      [...readFileSync(logFile, 'utf8').matchAll(/^(\S+) (ord_\w+)$/gm)].map(
        ([, type, id]) => `${type} ${id}`,
      ),
    post: (headers, body) =>
      request(port, 'POST', '/hook', {
        headers: { 'Content-Type': 'application/json', Connection: 'close', ...headers },
        body: Buffer.from(body),
      }),
    breakOff: () =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1').resume();
        socket.setTimeout(20_000, () =>
          socket.destroy(new Error('an upload that was broken off stays open')),
        );
        socket
          .on('error', (error) => ('code' in error ? undefined : reject(error)))
          .on('close', () => resolve());
        socket.end('POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"id":"evt');
      }),
    stop: async () => child?.stop('SIGTERM', 2_000),
  };
}

/** Files of a section: each block of code names its file in the first line. */
function filesOf(section: string): Record<string, string> {
  const guide = readFileSync(join(root, 'docs-site/guides/webhooks.md'), 'utf8');
  const [, text = ''] = guide.split(`\n### ${section}\n`);
  const [own = ''] = text.split(/\n##+ /);
  const blocks = [...own.matchAll(/```(?:js|py)\n((?:\/\/|#) ([\w./]+).*?)```/gs)];
  if (blocks.length === 0) throw new Error(`the guide has no code below ${section}`);
  return Object.fromEntries(blocks.map(([, code = '', name = '']) => [name, code]));
}

/** Headers of a request that the holder of a secret signs. */
function signedBy(secret: string, id: string, at: Date, body: string): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
}

/** Sends what a receiver must accept and must refuse; resolves to its responses and to the events that it handled. */
export async function examineReceiver(receiver: GuideReceiver, secret: string) {
  const body = JSON.stringify({
    id: 'evt_1',
    type: 'order.paid',
    data: { id: 'ord_Zoe', name: 'Zoë 東京 🧾' },
  });
  const now = new Date();
  const good = signedBy(secret, 'evt_1', now, body);
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const { 'webhook-signature': _, ...unsigned } = good;
  const status = async (headers: Record<string, string>, text = body) =>
    (await receiver.post(headers, text)).status;
  const moved = (minutes: number) =>
    signedBy(secret, 'evt_1', new Date(now.getTime() + minutes * 60_000), body);
  const refused = {
    tampered: await status(good, body.replace('Zoë', 'Zoe')),
    'of another id': await status({ ...good, 'webhook-id': 'evt_2' }),
    stale: await status(moved(-6)),
    ahead: await status(moved(6)),
    'with another timestamp': await status({
      ...good,
      'webhook-timestamp': `${Number(good['webhook-timestamp']) + 1}`,
    }),
    'with a word as timestamp': await status({ ...good, 'webhook-timestamp': 'now' }),
    'with 400 digits as timestamp': await status({ ...good, 'webhook-timestamp': '9'.repeat(400) }),
    'of another secret': await status(signedBy(other, 'evt_1', now, body)),
    unsigned: await status(unsigned),
    empty: await status({}, ''),
  };
  // Leaves the receiver as it was: what follows is accepted.
  await receiver.breakOff();
  const before = receiver.handled().length;
  const rotated = `v1,${Buffer.alloc(32).toString('base64')} v1a,AAAA ${good['webhook-signature']}`;
  const accepted = [
    await status(good),
    await status(good),
    await status({ ...good, 'webhook-signature': rotated }),
  ];
  await expectEventually(
    () => {
      if (receiver.handled().length <= before) throw new Error('nothing handled');
    },
    { withinMs: 2_000 },
  );
  return { refused, accepted, handled: receiver.handled().slice(before) };
}

/** Result of `examineReceiver` for a receiver without errors. */
export const sound = {
  refused: {
    tampered: 400,
    'of another id': 400,
    stale: 400,
    ahead: 400,
    'with another timestamp': 400,
    'with a word as timestamp': 400,
    'with 400 digits as timestamp': 400,
    'of another secret': 400,
    unsigned: 400,
    empty: 400,
  },
  accepted: [204, 204, 204],
  handled: ['order.paid ord_Zoe'],
};
