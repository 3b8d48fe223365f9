import { X509Certificate } from 'node:crypto';
import { reloadFiles } from '../process/reload.ts';
import type { Logger } from '../telemetry/logger.ts';
import { Gauge, type Registry } from '../telemetry/metrics.ts';
import { type Certificates, type GrpcTls, type GrpcTlsEnvironment, readGrpcTls } from './tls.ts';

/**
 * Reads the certificate files, and reads them again every minute and on SIGHUP. New connections use renewed certificates;
 * open connections stay open. Unusable files are logged once, and the old certificates stay in use.
 * @throws ConfigError for unreadable files and a wrong key at the start
 */
export function watchGrpcTls(value: GrpcTlsEnvironment, logger: Logger): GrpcTls {
  const first = readGrpcTls(value);
  if (first.kind === 'plain') return first;
  const listeners = new Set<(renewed: Certificates) => void>();
  let current: Certificates = first;
  const load = () => {
    const loaded = readRenewed(value, current);
    if (loaded === undefined) return;
    current = loaded;
    for (const listener of listeners) listener(loaded);
    const validTo = new Date(firstEnd(loaded.cert)).toISOString();
    logger.info({ validTo }, 'certificate between services renewed');
  };
  reloadFiles(load, (err) =>
    logger.error({ err }, 'the new certificate between services cannot be used; the old one stays in use'),
  );
  return {
    kind: 'mutual',
    get ca() {
      return current.ca;
    },
    get cert() {
      return current.cert;
    },
    get key() {
      return current.key;
    },
    onRenewed: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The files; undefined if they are already in use. @throws if they are unusable or the certificate has expired */
function readRenewed(value: GrpcTlsEnvironment, current: Certificates): Certificates | undefined {
  const loaded = readGrpcTls(value);
  if (loaded.kind === 'plain') return undefined;
  const isSame = (['ca', 'cert', 'key'] as const).every((part) => loaded[part].equals(current[part]));
  if (isSame) return undefined;
  if (firstEnd(loaded.cert) < Date.now()) throw new Error('GRPC_TLS_CERT has expired');
  return loaded;
}

const pemBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * Gauge of the remaining time of the certificates in use, by variable. Of several in one file, the first to expire counts. Has
 * no values for plain text.
 */
export function measureCertificates(registry: Registry, tls: GrpcTls, now: () => number = Date.now): void {
  new Gauge({
    name: 'tls_certificate_expiry_seconds',
    help: 'Seconds until a loaded certificate ends; negative afterwards.',
    labelNames: ['file'],
    registers: [registry],
    collect() {
      if (tls.kind === 'plain') return;
      this.set({ file: 'GRPC_TLS_CA' }, (firstEnd(tls.ca) - now()) / 1000);
      this.set({ file: 'GRPC_TLS_CERT' }, (firstEnd(tls.cert) - now()) / 1000);
    },
  });
}

/** Milliseconds since 1970 at which the first certificate of a PEM file ends. */
function firstEnd(pem: Buffer): number {
  return Math.min(...certificatesIn(pem).map(({ validToDate }) => validToDate.getTime()));
}

/** Every certificate of a PEM file. */
export function certificatesIn(pem: Buffer): X509Certificate[] {
  const blocks = pem.toString('utf8').match(pemBlock) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}
