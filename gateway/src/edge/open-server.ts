import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { Express } from 'express';
import { createTrust } from './client-address.ts';
import { ClientShares, type TakePlace } from './client-shares.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { createEdgeServer, measureConnections } from './server.ts';
import {
  createTlsServer,
  measurePublicCertificate,
  type PublicTlsEnvironment,
  readCertificate,
  type TlsServer,
  watchCertificate,
} from './tls.ts';
import { UnreadResponses } from './unread.ts';
import type { Routes } from './upgrade.ts';

/** Maximum number of HTTP/2 requests in flight; further ones would find neither a slot at an upstream nor room to wait. */
const maxStreams = 2_000;

/** Variables of the public server. */
interface ServerEnvironment extends PublicTlsEnvironment {
  readonly MAX_CONNECTIONS: number;
  readonly MAX_CONNECTIONS_PER_CLIENT: number;
  readonly TRUSTED_PROXIES: readonly string[];
  readonly DOCS_URL: string;
}

/** Opens the public server, with TLS when a certificate is configured, and limits its clients. */
export function openServer(
  app: Express,
  { metrics, routes }: { readonly metrics: RequestMetrics; readonly routes: Routes },
  config: ServerEnvironment,
  registry: Registry,
  logger: Logger,
) {
  const {
    MAX_CONNECTIONS: maxConnections,
    MAX_CONNECTIONS_PER_CLIENT: perClient,
    DOCS_URL: docsUrl,
  } = config;
  const isTrusted = createTrust(config.TRUSTED_PROXIES);
  const shares = new ClientShares({ perClient, isTrusted, registry, logger });
  const unread = new UnreadResponses(registry, logger);
  const streams = shares.places(Math.min(maxConnections, maxStreams));
  const publicTls = openPublicTls(config, { routes, takePlace: streams }, registry, logger);
  const options = { maxConnections, logger, metrics, docsUrl, shares, unread, routes };
  const server = createEdgeServer(app, { ...options, server: publicTls?.server });
  measureConnections(registry, server, maxConnections);
  return { server, publicTls };
}

/** TLS on the public port, when a certificate is configured. */
function openPublicTls(
  config: PublicTlsEnvironment,
  edge: { readonly routes: Routes; readonly takePlace: TakePlace },
  registry: Registry,
  logger: Logger,
): TlsServer | undefined {
  const measure = measurePublicCertificate(registry);
  const certificate = readCertificate(config);
  if (certificate === undefined) return undefined;
  const tlsServer = createTlsServer(certificate, edge, logger);
  measure(certificate);
  watchCertificate(config, certificate, logger, (renewed) => {
    tlsServer.renew(renewed);
    measure(renewed);
  });
  return tlsServer;
}
