import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Allowed, AuthorizationResult } from '../src/access/authorization-result.ts';
import type { RequestRecord } from '../src/reporting/request-records.ts';

/** A credential of `websocket-gateway.ts`. */
export interface TestCredential extends Partial<Allowed['principal']> {
  readonly outcome?: Exclude<AuthorizationResult['outcome'], 'unavailable'>;
  /** Requests in the rolling hour. */
  readonly limit?: number;
}

export interface GatewayOptions {
  readonly upstreamPort: number;
  /** Milliseconds without a byte; those of production where absent. */
  readonly idleMs?: number;
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** Messages to the process. */
export type GatewayOrder =
  | { readonly order: 'credentials'; readonly credentials: Readonly<Record<string, TestCredential>> }
  | { readonly order: 'report' }
  | { readonly order: 'stop' };

/** What the process has written since its start, and recorded since the last report. */
export interface GatewayReport {
  readonly metrics: string;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  readonly records: readonly RequestRecord[];
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
    const child = fork(program, [JSON.stringify(options)], { execArgv: [] });
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
