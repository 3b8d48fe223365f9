import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createSecureContext, type TLSSocket } from 'node:tls';
import type { Logger } from '@platform/service-kit/logger.ts';
import { Gauge, type Registry } from '@platform/service-kit/metrics.ts';
import { z } from 'zod';
import { Http2Sessions } from './http2-sessions.ts';
import { type EdgeServer, edgeOptions } from './server.ts';

/** Files of the certificate with which the gateway ends TLS itself, in PEM; without them it speaks plain HTTP. */
export const publicTlsFields = {
  PUBLIC_TLS_CERT: z.string().optional(),
  PUBLIC_TLS_KEY: z.string().optional(),
};

interface PublicTlsEnvironment {
  readonly PUBLIC_TLS_CERT?: string | undefined;
  readonly PUBLIC_TLS_KEY?: string | undefined;
}

/** A certificate (with its chain) and its key, in PEM. */
interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Milliseconds between two looks at the files. */
const reloadMs = 60_000;

/** What is wrong with a variable, or with the file that it names. */
class CertificateError extends Error {
  readonly variable: keyof PublicTlsEnvironment;

  constructor(variable: keyof PublicTlsEnvironment, problem: string) {
    super(problem);
    this.variable = variable;
  }
}

/** zod check for schemas that spread `publicTlsFields`: both variables or none, and files that fit together. */
export function checkPublicTls(value: PublicTlsEnvironment, context: z.RefinementCtx): void {
  try {
    readCertificate(value);
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    context.addIssue({ code: 'custom', path: [error.variable], message: error.message });
  }
}

/** Reads the files; undefined where none are named. @throws CertificateFault */
export function readCertificate(value: PublicTlsEnvironment): Certificate | undefined {
  if (value.PUBLIC_TLS_CERT === undefined && value.PUBLIC_TLS_KEY === undefined) return undefined;
  const cert = readPart(value, 'PUBLIC_TLS_CERT', (file) => new X509Certificate(file));
  const key = readPart(value, 'PUBLIC_TLS_KEY', (file) => createSecureContext({ key: file }));
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    throw new CertificateError('PUBLIC_TLS_KEY', `is not the key of PUBLIC_TLS_CERT (${codeOf(error)})`);
  }
  return { cert, key };
}

function readPart(
  value: PublicTlsEnvironment,
  variable: keyof PublicTlsEnvironment,
  parse: (file: Buffer) => unknown,
): Buffer {
  const path = value[variable];
  if (path === undefined)
    throw new CertificateError(variable, 'is not set, and the other half of the pair is');
  try {
    const file = readFileSync(path);
    parse(file);
    return file;
  } catch (error) {
    throw new CertificateError(variable, `cannot be read (${codeOf(error)})`);
  }
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : 'unknown');

/**
 * Reads the files again every minute, and at once on SIGHUP, tells of a new certificate, and measures how long it lasts. Files that do not fit
 * together, as in the middle of a renewal, are logged and change nothing.
 */
export function watchCertificate(
  value: PublicTlsEnvironment,
  first: Certificate,
  logger: Logger,
  registry: Registry,
  onRenewed: (certificate: Certificate) => void,
): void {
  let current = first;
  new Gauge({
    name: 'gateway_public_certificate_expiry_seconds',
    help: 'Seconds until the public certificate in use ends; negative afterwards.',
    registers: [registry],
    collect() {
      this.set((new X509Certificate(current.cert).validToDate.getTime() - Date.now()) / 1000);
    },
  });
  const reload = () => {
    try {
      const loaded = readCertificate(value);
      if (loaded === undefined || (loaded.cert.equals(current.cert) && loaded.key.equals(current.key)))
        return;
      current = loaded;
      onRenewed(loaded);
      logger.info({ validTo: new X509Certificate(loaded.cert).validTo }, 'certificate renewed');
    } catch (error) {
      logger.error({ err: error }, 'the new certificate cannot be used, the old one stays');
    }
  };
  setInterval(reload, reloadMs).unref();
  process.on('SIGHUP', reload);
}

/** A server that ends TLS itself and speaks HTTP/2 or HTTP/1.1, as the client chooses (ALPN). */
export interface TlsServer {
  readonly server: EdgeServer;
  /** From now on new connections see this certificate. */
  renew(certificate: Certificate): void;
  /** Ends connections of HTTP/2 with what runs on them. HTTP/1.1 has its own way: `Connection: close`. */
  closeSessions(): void;
}

const minVersion = 'TLSv1.2';

/** Milliseconds for a handshake, as for the head of a request. */
const handshakeTimeout = 10_000;

const ALPNProtocols = ['h2', 'http/1.1'];

/** @param maxStreams requests over HTTP/2 that may be under way at a time, on all connections */
export function createTlsServer(certificate: Certificate, maxStreams: number, logger: Logger): TlsServer {
  const server = createServer({
    ...edgeOptions,
    ...certificate,
    minVersion,
    handshakeTimeout,
    ALPNProtocols,
  });
  // Where no handshake was made there is no client that could read a response.
  server.removeAllListeners('tlsClientError').on('tlsClientError', (_error, socket) => socket.destroy());

  const serveHttp1 = server.listeners('secureConnection');
  const serve = (connection: object) => {
    for (const listener of serveHttp1) Reflect.apply(listener, server, [connection]);
  };
  const sessions = new Http2Sessions({ maxStreams, serve, logger });
  server.removeAllListeners('secureConnection').on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') sessions.accept(socket);
    else serve(socket);
  });
  const closeAllConnections = server.closeAllConnections.bind(server);
  server.closeAllConnections = () => {
    closeAllConnections();
    sessions.destroy();
  };
  return {
    server,
    renew: (renewed) => server.setSecureContext({ ...renewed, minVersion }),
    closeSessions: () => sessions.close(),
  };
}
