import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RequestRecordMessage } from '@platform/protos/identity';
import { generateSecrets } from '../../deploy/local/secrets.ts';
import type { Allowed, AuthorizationResult } from '../src/access/authorization-result.ts';
import { apiDirectoryOf, shopDocument, shopOperation } from './own-api.ts';

/** A credential of `websocket-gateway.ts`. */
export interface TestCredential extends Partial<Allowed['principal']> {
  readonly outcome?: Exclude<AuthorizationResult['outcome'], 'unavailable'>;
  /** Requests in the rolling hour. */
  readonly limit?: number;
}

interface GatewayOptions {
  readonly upstreamPort: number;
  /** Of the document, as `5s`; that of production where absent. */
  readonly upstreamTimeout?: string;
  /** Milliseconds without a byte; those of production where absent. */
  readonly idleMs?: number;
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** Argument of the process. */
export interface ProcessOptions extends Pick<GatewayOptions, 'idleMs'> {
  /** Variables of the gateway. */
  readonly env: Readonly<Record<string, string>>;
}

/** A service with WebSockets at `/v2/socket`, and an ordinary operation at `/v2/plain`. */
const documentOf = ({ upstreamPort, upstreamTimeout = '7500ms' }: GatewayOptions) =>
  shopDocument(
    {
      '/v2/socket': {
        get: shopOperation('openSocket', { 'x-websocket': true }),
        post: shopOperation('postSocket'),
      },
      '/v2/plain': { get: shopOperation('getPlain') },
    },
    {
      'x-upstreams': {
        shop: { origins: [`http://127.0.0.1:${upstreamPort}`], timeout: upstreamTimeout },
      },
    },
  );

function environment(options: GatewayOptions): Record<string, string> {
  const { gatewaySecret, credentialTagKey } = generateSecrets();
  const directory = apiDirectoryOf(documentOf(options));
  const env = {
    MODE: 'local',
    GRPC_TLS: 'off',
    OPS_PORT: '0',
    IDENTITY_GRPC_TARGET: 'localhost:1',
    IDENTITY_HTTP_ORIGINS: 'http://localhost:1',
    BUSINESS_HTTP_ORIGINS: 'http://localhost:1',
    GATEWAY_SECRET: gatewaySecret,
    CREDENTIAL_TAG_KEYS: credentialTagKey,
    PUBLIC_URL: 'https://api.test',
    TRUSTED_PROXIES: '127.0.0.1',
    API_DIR: directory,
  };
  const { tls } = options;
  if (tls === undefined) return env;
  const [PUBLIC_TLS_CERT, PUBLIC_TLS_KEY] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  writeFileSync(PUBLIC_TLS_CERT, tls.cert);
  writeFileSync(PUBLIC_TLS_KEY, tls.key);
  return { ...env, PUBLIC_TLS_CERT, PUBLIC_TLS_KEY };
}

/** Messages to the process. */
export type GatewayOrder =
  | { readonly order: 'credentials'; readonly credentials: Readonly<Record<string, TestCredential>> }
  | { readonly order: 'report' }
  | { readonly order: 'stop' };

/** The log of the process since its start, and its records since the last report. */
export interface GatewayReport {
  readonly metrics: string;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  readonly records: readonly RequestRecordMessage[];
}

/** A gateway with WebSockets at `/v2/socket`. Trusts this machine as a proxy. */
export class GatewayProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  static async start(options: GatewayOptions): Promise<GatewayProcess> {
    const program = fileURLToPath(new URL('websocket-gateway.ts', import.meta.url));
    const argument: ProcessOptions = { ...options, env: environment(options) };
    const child = fork(program, [JSON.stringify(argument)], { execArgv: [] });
    const [{ port }] = await once(child, 'message');
    return new GatewayProcess(child, port);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Sets the credentials, by their strings. */
  allow(credentials: Readonly<Record<string, TestCredential>>): void {
    this.#order({ order: 'credentials', credentials });
  }

  async report(): Promise<GatewayReport> {
    this.#order({ order: 'report' });
    const [report] = await once(this.#child, 'message');
    return report;
  }

  /** Ends as on SIGTERM, at once. Resolves when no connection is left. */
  async stop(): Promise<void> {
    this.#order({ order: 'stop' });
    await once(this.#child, 'message');
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Descriptors of sockets. */
  sockets(): number {
    const directory = `/proc/${this.pid}/fd`;
    return readdirSync(directory).filter((descriptor) => {
      try {
        return readlinkSync(`${directory}/${descriptor}`).startsWith('socket:');
      } catch {
        // Closed meanwhile.
        return false;
      }
    }).length;
  }

  /** Memory of the process. */
  residentBytes(): number {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) * 1_024;
  }

  #order(order: GatewayOrder): void {
    this.#child.send(order);
  }
}
