import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js';
import { z } from 'zod';
import { ConfigError, type ConfigIssue } from '../config.ts';
import { Gauge, type Registry } from '../metrics.ts';

/**
 * Connections between services: gRPC, and HTTP from the gateway. `mutual`: both sides present a certificate of GRPC_TLS_CA.
 * `mesh`: plain text, because a service mesh encrypts and authenticates. `off`: plain text, for MODE=local only.
 */
export const grpcTlsFields = {
  GRPC_TLS: z.enum(['mutual', 'mesh', 'off']).optional(),
  GRPC_TLS_CA: z.string().optional(),
  GRPC_TLS_CERT: z.string().optional(),
  GRPC_TLS_KEY: z.string().optional(),
};

interface GrpcTlsEnvironment {
  readonly MODE: 'local' | 'production';
  readonly GRPC_TLS?: 'mutual' | 'mesh' | 'off' | undefined;
  readonly GRPC_TLS_CA?: string | undefined;
  readonly GRPC_TLS_CERT?: string | undefined;
  readonly GRPC_TLS_KEY?: string | undefined;
}

/** zod check for schemas that spread `grpcTlsFields`. */
export function checkGrpcTls(value: GrpcTlsEnvironment, context: z.RefinementCtx): void {
  const wanted = wantedTls(value);
  const report = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  if (wanted === 'off' && value.MODE !== 'local') {
    report('GRPC_TLS', 'must be mutual or mesh outside local mode');
  }
  if (wanted !== 'mutual') return;
  for (const name of ['GRPC_TLS_CA', 'GRPC_TLS_CERT', 'GRPC_TLS_KEY'] as const) {
    if (value[name] === undefined) report(name, 'is not set, and GRPC_TLS is mutual');
  }
}

/** GRPC_TLS, with the default of the mode. */
export function wantedTls({ GRPC_TLS, MODE }: Pick<GrpcTlsEnvironment, 'GRPC_TLS' | 'MODE'>) {
  return GRPC_TLS ?? (MODE === 'local' ? 'off' : 'mutual');
}

/** Certificates of one side, or plain text. */
export type GrpcTls =
  | { readonly kind: 'plain' }
  | { readonly kind: 'mutual'; readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };

/** Reads the certificate files of a checked environment. @throws ConfigError for unreadable files and a wrong key */
export function readGrpcTls(value: GrpcTlsEnvironment): GrpcTls {
  if (wantedTls(value) !== 'mutual') return { kind: 'plain' };
  const issues: ConfigIssue[] = [];
  const read = (name: 'GRPC_TLS_CA' | 'GRPC_TLS_CERT' | 'GRPC_TLS_KEY') => {
    try {
      const file = readFileSync(value[name] ?? '');
      if (name !== 'GRPC_TLS_KEY') new X509Certificate(file);
      return file;
    } catch (error) {
      issues.push({ name, message: `cannot be read (${codeOf(error)})` });
      return Buffer.alloc(0);
    }
  };
  const tls = {
    kind: 'mutual',
    ca: read('GRPC_TLS_CA'),
    cert: read('GRPC_TLS_CERT'),
    key: read('GRPC_TLS_KEY'),
  } as const;
  if (issues.length === 0) checkPair(tls, issues);
  if (issues.length > 0) throw new ConfigError(issues);
  return tls;
}

/** OpenSSL checks that the key belongs to the certificate. */
function checkPair({ cert, key }: { cert: Buffer; key: Buffer }, issues: ConfigIssue[]): void {
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    issues.push({ name: 'GRPC_TLS_KEY', message: `is not the key of GRPC_TLS_CERT (${codeOf(error)})` });
  }
}

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : 'unknown');

export function channelCredentials(tls: GrpcTls): ChannelCredentials {
  if (tls.kind === 'plain') return ChannelCredentials.createInsecure();
  return ChannelCredentials.createSsl(tls.ca, tls.key, tls.cert);
}

export function serverCredentials(tls: GrpcTls): ServerCredentials {
  if (tls.kind === 'plain') return ServerCredentials.createInsecure();
  const pair = { private_key: tls.key, cert_chain: tls.cert };
  return ServerCredentials.createSsl(tls.ca, [pair], true);
}

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Gauge of the time that the loaded certificates have left, by variable; of several in one file, the first to expire.
 * A renewed file counts from the restart on. Without values for plain text.
 */
export function measureCertificates(registry: Registry, tls: GrpcTls, now: () => number = Date.now): void {
  const files = tls.kind === 'plain' ? {} : { GRPC_TLS_CA: tls.ca, GRPC_TLS_CERT: tls.cert };
  const ends = new Map(Object.entries(files).map(([file, pem]) => [file, firstEnd(pem)]));
  new Gauge({
    name: 'tls_certificate_expiry_seconds',
    help: 'Seconds until a loaded certificate ends; negative afterwards.',
    labelNames: ['file'],
    registers: [registry],
    collect() {
      for (const [file, end] of ends) this.set({ file }, (end - now()) / 1000);
    },
  });
}

/** Milliseconds since 1970 at which the first certificate of a PEM file ends. */
function firstEnd(pem: Buffer): number {
  const blocks = pem.toString('utf8').match(pemBlock) ?? [];
  return Math.min(...blocks.map((block) => new X509Certificate(block).validToDate.getTime()));
}
