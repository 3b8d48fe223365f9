import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createSecureContext, type TLSSocket } from 'node:tls';
import { reloadFiles } from '@platform/service-kit/process/reload.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import { Gauge, type Registry } from '@platform/service-kit/telemetry/metrics.ts';
import { z } from 'zod';
import type { TakePlace } from './client-shares.ts';
import { Http2Sessions } from './http2-sessions.ts';
import { type EdgeServer, edgeOptions } from './server.ts';
import type { Routes } from './upgrade.ts';

/** PEM files with which the gateway terminates TLS; without them it serves plain HTTP. */
export const publicTlsFields = {
  PUBLIC_TLS_CERT: z.string().optional(),
  PUBLIC_TLS_KEY: z.string().optional(),
};

export interface PublicTlsEnvironment {
  readonly PUBLIC_TLS_CERT?: string | undefined;
  readonly PUBLIC_TLS_KEY?: string | undefined;
}

/** A certificate (with its chain) and its key, in PEM. */
interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** An invalid variable, or an invalid file that it names. */
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

/**
 * Reads the files; undefined when none are configured.
 * @throws CertificateError
 */
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

/** Exports the expiry of the certificate in use; without a value where the gateway speaks plain HTTP. */
export function measurePublicCertificate(registry: Registry): (current: Certificate) => void {
  let expiresAt: number | undefined;
  new Gauge({
    name: 'gateway_public_certificate_expiry_seconds',
    help: 'Seconds until the public certificate in use expires; negative afterwards.',
    // A gauge without labels has a value from the start.
    labelNames: ['file'],
    registers: [registry],
    collect() {
      if (expiresAt !== undefined) this.set({ file: 'PUBLIC_TLS_CERT' }, (expiresAt - Date.now()) / 1000);
    },
  });
  return ({ cert }) => {
    expiresAt = endOf(cert);
  };
}

/** Expiration of a certificate in milliseconds since 1970. Ignores its chain, which may contain expired ones. */
const endOf = (cert: Buffer) => new X509Certificate(cert).validToDate.getTime();

/**
 * Reloads the files every minute and on SIGHUP, and passes on a new certificate. A key that does not match and an
 * expired certificate are logged once and ignored.
 */
export function watchCertificate(
  value: PublicTlsEnvironment,
  first: Certificate,
  logger: Logger,
  onRenewed: (certificate: Certificate) => void,
): void {
  let current = first;
  const load = () => {
    const loaded = readCertificate(value);
    if (loaded === undefined || (loaded.cert.equals(current.cert) && loaded.key.equals(current.key))) return;
    if (endOf(loaded.cert) < Date.now()) throw new CertificateError('PUBLIC_TLS_CERT', 'has expired');
    current = loaded;
    onRenewed(loaded);
    logger.info({ validTo: new X509Certificate(loaded.cert).validTo }, 'certificate renewed');
  };
  reloadFiles(load, (err) =>
    logger.error({ err }, 'the new certificate cannot be used; the old one stays in use'),
  );
}

/** A server that terminates TLS and speaks HTTP/2 or HTTP/1.1, as negotiated by ALPN. */
export interface TlsServer {
  readonly server: EdgeServer;
  /** Uses this certificate for new connections. */
  renew(certificate: Certificate): void;
  /** Closes HTTP/2 connections; HTTP/1.1 ones end by `Connection: close`. */
  closeSessions(): void;
}

const minVersion = 'TLSv1.2';

/** Milliseconds for a handshake; the same as for a request head. */
const handshakeTimeout = 10_000;

const ALPNProtocols = ['h2', 'http/1.1'];

/** @param edge takePlace: for each open HTTP/2 stream */
export function createTlsServer(
  certificate: Certificate,
  { routes, takePlace }: { readonly routes: Routes; readonly takePlace: TakePlace },
  logger: Logger,
): TlsServer {
  const server = createServer({
    ...edgeOptions(routes),
    ...certificate,
    minVersion,
    handshakeTimeout,
    ALPNProtocols,
  });
  // Without a handshake no response can be sent.
  server.removeAllListeners('tlsClientError').on('tlsClientError', (_error, socket) => socket.destroy());

  const serveHttp1 = server.listeners('secureConnection');
  const serve = (connection: object) => {
    for (const listener of serveHttp1) Reflect.apply(listener, server, [connection]);
  };
  const sessions = new Http2Sessions({ takePlace, serve, logger });
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
