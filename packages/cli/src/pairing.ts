import type { webcrypto } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const algorithm = { name: 'ECDH', namedCurve: 'P-256' } as const;

/** Lengths in bytes of a public key of P-256, and of the nonce of AES-GCM. */
const publicKeyLength = 65;
const nonceLength = 12;

/** Bytes of a message: a key of the platform is shorter than 100. */
const maxMessageLength = 2_000;

/**
 * Receives one key from a page of the dashboard in a browser on this machine. The page seals it for a public key that it gets in
 * its link, and opens an address of this process with it: what stays in the history of the browser is of no use to others. The other half
 * is dashboard/src/pages/keys/pairing.ts.
 */
export class Pairing {
  /** For the link: the port and the public key. */
  readonly request: string;
  /** Shown by the terminal and by the page, so that a person sees that they belong together. */
  readonly code: string;
  /** Resolves once, to the key. */
  readonly key: Promise<string>;
  readonly #server: Server;
  readonly #privateKey: webcrypto.CryptoKey;
  readonly #origin: string;
  #resolve: (key: string) => void = () => undefined;

  private constructor(server: Server, privateKey: webcrypto.CryptoKey, publicKey: Buffer, code: string) {
    const { port } = server.address() as AddressInfo;
    this.#server = server;
    this.#privateKey = privateKey;
    this.#origin = `http://127.0.0.1:${port}`;
    this.request = `${port}.${publicKey.toString('base64url')}`;
    this.code = code;
    this.key = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    server.on('request', (req, res) => void this.#serve(req, res));
  }

  /** Listens on a free port of the loopback address, until it is closed. */
  static async open(): Promise<Pairing> {
    const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, false, ['deriveKey']);
    const raw = Buffer.from(await crypto.subtle.exportKey('raw', publicKey));
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const digest = Buffer.from(await crypto.subtle.digest('SHA-256', raw))
      .toString('hex')
      .toUpperCase();
    return new Pairing(server, privateKey, raw, `${digest.slice(0, 4)}-${digest.slice(4, 8)}`);
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const isOwn = `http://${req.headers.host}` === this.#origin && req.url === '/';
    if (isOwn && req.method === 'GET') return sendPage(res);
    if (!isOwn || req.method !== 'POST' || req.headers.origin !== this.#origin) {
      return void res.writeHead(404).end();
    }
    try {
      const key = await this.#open(await bodyOf(req));
      res.writeHead(204).end();
      this.#resolve(key);
    } catch {
      res.writeHead(400).end();
    }
  }

  /** @throws for what was not sealed for this process */
  async #open(message: Buffer): Promise<string> {
    const theirs = message.subarray(0, publicKeyLength);
    const iv = message.subarray(publicKeyLength, publicKeyLength + nonceLength);
    const sealed = message.subarray(publicKeyLength + nonceLength);
    const publicKey = await crypto.subtle.importKey('raw', new Uint8Array(theirs), algorithm, false, []);
    const secret = await crypto.subtle.deriveKey(
      { name: 'ECDH', public: publicKey },
      this.#privateKey,
      { name: 'AES-GCM', length: 256 },
      false,
      ['decrypt'],
    );
    const cipher = { name: 'AES-GCM', iv: new Uint8Array(iv) };
    return Buffer.from(await crypto.subtle.decrypt(cipher, secret, new Uint8Array(sealed))).toString();
  }
}

async function bodyOf(req: IncomingMessage): Promise<Buffer> {
  let text = '';
  for await (const chunk of req.setEncoding('latin1')) {
    text += chunk;
    if (text.length > maxMessageLength) throw new Error('the message is too long');
  }
  return Buffer.from(text, 'base64url');
}

/** Takes the message from the address, so that it does not stay there, and hands it to this process. */
const page = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Business API</title><meta name="color-scheme" content="light dark"></head>
<body><p role="status">Handing over the key …</p>
<script>
const message = location.hash.slice(1);
history.replaceState(null, '', '/');
const say = (text) => { document.querySelector('p').textContent = text; };
fetch('/', { method: 'POST', body: message }).then(
  ({ ok }) => say(ok ? 'The program has the key. You can close this window.' : 'The program could not read the key. Paste it into the terminal.'),
  () => say('The program does not respond. Paste the key into the terminal.'),
);
</script></body></html>
`;

function sendPage(res: ServerResponse): void {
  const policy = "default-src 'none'; script-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'";
  res
    .writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-store',
    })
    .end(page);
}
