import { readFileSync } from 'node:fs';
import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js';
import { z } from 'zod';

/**
 * `mutual`: both sides show a certificate of GRPC_TLS_CA. `mesh`: plain text, because a service mesh encrypts
 * and authenticates. `off`: plain text, for MODE=local only.
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
  const wanted = value.GRPC_TLS ?? (value.MODE === 'local' ? 'off' : 'mutual');
  const fault = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  if (wanted === 'off' && value.MODE !== 'local') {
    fault('GRPC_TLS', 'must be mutual or mesh outside local mode');
  }
  if (wanted !== 'mutual') return;
  for (const name of ['GRPC_TLS_CA', 'GRPC_TLS_CERT', 'GRPC_TLS_KEY'] as const) {
    if (value[name] === undefined) fault(name, 'is not set, and GRPC_TLS is mutual');
  }
}

/** Certificates of one side, or plain text. */
export type GrpcTls =
  | { readonly kind: 'plain' }
  | { readonly kind: 'mutual'; readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };

/** Reads the files that the checked environment names. @throws when one cannot be read */
export function readGrpcTls(value: GrpcTlsEnvironment): GrpcTls {
  const { GRPC_TLS_CA: ca, GRPC_TLS_CERT: cert, GRPC_TLS_KEY: key } = value;
  const wanted = value.GRPC_TLS ?? (value.MODE === 'local' ? 'off' : 'mutual');
  if (wanted !== 'mutual' || !ca || !cert || !key) return { kind: 'plain' };
  return { kind: 'mutual', ca: readFileSync(ca), cert: readFileSync(cert), key: readFileSync(key) };
}

export function channelCredentials(tls: GrpcTls): ChannelCredentials {
  if (tls.kind === 'plain') return ChannelCredentials.createInsecure();
  return ChannelCredentials.createSsl(tls.ca, tls.key, tls.cert);
}

export function serverCredentials(tls: GrpcTls): ServerCredentials {
  if (tls.kind === 'plain') return ServerCredentials.createInsecure();
  const pair = { private_key: tls.key, cert_chain: tls.cert };
  return ServerCredentials.createSsl(tls.ca, [pair], true);
}
