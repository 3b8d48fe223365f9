import { X509Certificate } from 'node:crypto';
import type { GrpcTls } from './grpc/tls.ts';
import { Gauge, type Registry } from './metrics.ts';

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Shows how long the certificates last that this process has loaded; a renewed file counts from the restart on. By the
 * variable that names the file; of several certificates in one, the first to end.
 */
export function measureCertificates(registry: Registry, tls: GrpcTls, now: () => number = Date.now): void {
  if (tls.kind === 'plain') return;
  const ends = new Map([
    ['GRPC_TLS_CA', firstEnd(tls.ca)],
    ['GRPC_TLS_CERT', firstEnd(tls.cert)],
  ]);
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
