import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { type Certificate, createAuthority } from './certificates.ts';

/** A certificate for the loopback address, and the variables with which a gateway ends TLS by it. */
export interface PublicCertificate extends Pick<Certificate, 'ca' | 'cert' | 'key'> {
  readonly env: Readonly<Record<'PUBLIC_TLS_CERT' | 'PUBLIC_TLS_KEY', string>>;
}

export function publicCertificate(authority = createAuthority()): PublicCertificate {
  const { ca, cert, key, env } = authority.issue(['127.0.0.1']);
  return { ca, cert, key, env: { PUBLIC_TLS_CERT: env.GRPC_TLS_CERT, PUBLIC_TLS_KEY: env.GRPC_TLS_KEY } };
}

export interface Http2Request {
  readonly key?: string;
  /** Beside the pseudo-headers, or in their place. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
}

/** How a stream ended. */
export interface Http2Response {
  /** 0 where there was no response. */
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** RST_STREAM of either side, or 0. */
  readonly rstCode: number;
}

/** A connection that speaks HTTP/2 to a gateway on the loopback address. */
export interface Http2Client {
  readonly session: ClientHttp2Session;
  /** Opens a stream, and leaves it to the test. */
  open(method: string, path: string, request?: Http2Request): ClientHttp2Stream;
  /** Never rejects: a stream that broke off says so in `rstCode`. */
  request(method: string, path: string, request?: Http2Request): Promise<Http2Response>;
  close(): void;
}

export function openHttp2(port: number, ca: string): Http2Client {
  // Node takes what a stream did not send for memory of the connection, also when the stream is closed.
  const session = connect(`https://127.0.0.1:${port}`, { ca, maxSessionMemory: 1_000 });
  session.on('error', () => undefined);
  const open = (method: string, path: string, { key, headers, body }: Http2Request = {}) => {
    const sent = {
      ':method': method,
      ':path': path,
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-length': `${Buffer.byteLength(body)}` }),
      ...headers,
    };
    const stream = session.request(sent, { endStream: body === undefined });
    stream.on('error', () => undefined);
    return stream;
  };
  return {
    session,
    open,
    request: (method, path, request) => {
      const stream = open(method, path, request);
      const response = responseOf(stream);
      if (request?.body !== undefined) stream.end(request.body);
      return response;
    },
    close: () => session.destroy(),
  };
}

/** Resolves when the stream has ended, in whatever way. */
export async function responseOf(stream: ClientHttp2Stream): Promise<Http2Response> {
  let headers: Record<string, unknown> = {};
  const chunks: Buffer[] = [];
  stream.on('response', (received) => {
    headers = received;
  });
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => stream.once('close', resolve));
  const { ':status': status = 0, ...rest } = headers;
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    status: Number(status),
    headers: rest,
    text,
    rstCode: stream.rstCode ?? constants.NGHTTP2_NO_ERROR,
  };
}

/** A connection over which the test writes the frames itself. The preface and SETTINGS have been sent. */
export async function openFrames(port: number, ca: string): Promise<TLSSocket> {
  const socket = connectTls({ port, host: '127.0.0.1', ca, ALPNProtocols: ['h2'] });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  socket.write(frame(frames.settings, 0, 0));
  return socket;
}

/** Types of frames (RFC 9113 section 6). */
export const frames = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;
export const endStream = 0x1;
export const endHeaders = 0x4;

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header block of literals (RFC 7541 section 6.2.2), whatever they say. Names and values have fewer than 127 bytes. */
export function headerBlock(fields: readonly (readonly [string, string])[]): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.of(value.length), Buffer.from(value, 'latin1')]);
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]));
}

/** Frames that the gateway has sent on a connection: type, stream and payload of each whole frame. */
export function readFrames(received: Buffer) {
  const read: { type: number; flags: number; stream: number; payload: Buffer }[] = [];
  for (let at = 0; at + 9 <= received.length; ) {
    const end = at + 9 + received.readUIntBE(at, 3);
    if (end > received.length) break;
    const [type, flags] = [received.readUInt8(at + 3), received.readUInt8(at + 4)];
    read.push({
      type,
      flags,
      stream: received.readUInt32BE(at + 5),
      payload: received.subarray(at + 9, end),
    });
    at = end;
  }
  return read;
}
