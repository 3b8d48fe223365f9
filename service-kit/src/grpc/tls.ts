import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ChannelCredentials, experimental, ServerCredentials } from '@grpc/grpc-js';
import { z } from 'zod';
import { ConfigError } from '../config/config.ts';
import type { ConfigIssue } from '../config/config-files.ts';

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

export interface GrpcTlsEnvironment {
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

/** PEM files of one side. */
export interface Certificates {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** The certificates in use. */
export interface MutualTls extends Certificates {
  readonly kind: 'mutual';
  /** Calls back with each renewal until the function that it returns is called. Absent where files are read once. */
  readonly onRenewed?: (listener: (renewed: Certificates) => void) => () => void;
}

/** Certificates of one side, or plain text. */
export type GrpcTls = { readonly kind: 'plain' } | MutualTls;

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

/** Provides the certificates in use to gRPC, which uses them for its next connection. */
function certificateProvider(tls: MutualTls): experimental.CertificateProvider {
  const ends = new Map<object, (() => void) | undefined>();
  const add = <Listener extends object>(listener: Listener, emit: (certificates: Certificates) => void) => {
    ends.set(listener, tls.onRenewed?.(emit));
    // A server's credentials listen before the server itself does.
    process.nextTick(emit, tls);
  };
  const remove = (listener: object) => {
    ends.get(listener)?.();
    ends.delete(listener);
  };
  return {
    addCaCertificateListener: (listener) => add(listener, ({ ca }) => listener({ caCertificate: ca })),
    removeCaCertificateListener: remove,
    addIdentityCertificateListener: (listener) =>
      add(listener, ({ cert, key }) => listener({ certificate: cert, privateKey: key })),
    removeIdentityCertificateListener: remove,
  };
}

export function channelCredentials(tls: GrpcTls): ChannelCredentials {
  if (tls.kind === 'plain') return ChannelCredentials.createInsecure();
  const provider = certificateProvider(tls);
  return experimental.createCertificateProviderChannelCredentials(provider, provider);
}

export function serverCredentials(tls: GrpcTls): ServerCredentials {
  if (tls.kind === 'plain') return ServerCredentials.createInsecure();
  const provider = certificateProvider(tls);
  return experimental.createCertificateProviderServerCredentials(provider, provider, true);
}
