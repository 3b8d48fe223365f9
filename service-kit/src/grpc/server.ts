import { type Deadline, type handleUnaryCall, Server, type ServiceDefinition, status } from '@grpc/grpc-js';
import { HealthImplementation, service as healthService } from 'grpc-health-check';
import { z } from 'zod';
import { hostPort } from '../addresses.ts';
import { toAppError } from '../app-error.ts';
import type { Logger } from '../logger.ts';
import type { Registry } from '../metrics.ts';
import { inRequest, requestIdFrom } from '../request-context.ts';
import { createGrpcClient, type GrpcClient, type GrpcClientOptions } from './client.ts';
import { toGrpcError } from './errors.ts';
import { type ObserveRpc, servedRpcs } from './metrics.ts';
import { type GrpcTls, serverCredentials } from './tls.ts';

/** Context of a call. */
interface CallContext {
  readonly requestId: string;
  /** Deadline of the client, in milliseconds of performance.now(); Infinity without one. */
  readonly endsAt: number;
}

type MethodName<D> = keyof { [K in keyof D as string extends K ? never : K]: 0 } & keyof D;

/** One async function per rpc; the client receives the AppError that it throws. */
export type UnaryHandlers<D> = {
  readonly [K in MethodName<D>]: D[K] extends {
    requestDeserialize: (bytes: Buffer) => infer Request;
    responseSerialize: (response: infer Response) => Buffer;
  }
    ? (request: Request, context: CallContext) => Promise<Response>
    : never;
};

/** A service to serve: its definition and its handlers. */
export interface GrpcService {
  readonly definition: ServiceDefinition;
  readonly handlers: Readonly<Record<string, UntypedHandler>>;
}

type UntypedHandler = (request: never, context: CallContext) => Promise<unknown>;

export function grpcService<D extends ServiceDefinition>(
  definition: D,
  handlers: UnaryHandlers<D>,
): GrpcService {
  return { definition, handlers: handlers as Readonly<Record<string, UntypedHandler>> };
}

export interface GrpcServer {
  /** Port that it listens on. */
  readonly port: number;
  /** Sets the status of the whole server in grpc.health.v1. */
  setServing(serving: boolean): void;
  /** Refuses new calls and finishes the running ones; cancels them after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

interface GrpcServerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: GrpcTls;
  readonly services: readonly GrpcService[];
  readonly logger: Logger;
  readonly registry: Registry;
}

/** Serves gRPC with health checks and message limits. @throws when the address cannot be bound */
export async function startGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  const { host, tls, services, logger, registry } = options;
  const observe = servedRpcs(registry);
  const server = new Server({
    'grpc.max_receive_message_length': 1024 * 1024,
    'grpc.keepalive_time_ms': 10_000,
    'grpc.keepalive_timeout_ms': 2_000,
  });
  const health = new HealthImplementation({ '': 'NOT_SERVING' });
  health.addToServer(server);
  for (const { definition, handlers } of services) {
    const wrapped = Object.entries(handlers).map(([name, handler]) => [
      name,
      unaryHandler(name, handler, logger, observe),
    ]);
    server.addService(definition, Object.fromEntries(wrapped));
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(hostPort(host, options.port), serverCredentials(tls), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    port,
    setServing: (serving) => health.setStatus('', serving ? 'SERVING' : 'NOT_SERVING'),
    close: (graceMs) => closeServer(server, graceMs),
  };
}

function unaryHandler(
  method: string,
  handler: UntypedHandler,
  logger: Logger,
  observe: ObserveRpc,
): handleUnaryCall<never, unknown> {
  return async (call, callback) => {
    const startedAt = performance.now();
    const requestId = requestIdFrom(call.metadata.get('x-request-id')[0]);
    const lineOf = (code: string) => {
      const ms = performance.now() - startedAt;
      observe(method, code, ms / 1000);
      return { method, requestId, ms: Math.round(ms), code };
    };
    try {
      const context = { requestId, endsAt: endOf(call.getDeadline()) };
      const response = await inRequest(requestId, () => handler(call.request, context));
      logger.info(lineOf('OK'), 'rpc');
      callback(null, response);
    } catch (error) {
      const failure = toGrpcError(error);
      const { kind, reason, cause } = toAppError(error);
      const level = kind === 'internal' ? 'error' : 'info';
      logger[level]({ ...lineOf(status[failure.code]), reason, err: cause }, 'rpc');
      callback(failure);
    }
  };
}

function endOf(deadline: Deadline): number {
  return performance.now() + (Number(deadline) - Date.now());
}

async function closeServer(server: Server, graceMs: number): Promise<void> {
  const timer = setTimeout(() => server.forceShutdown(), graceMs);
  await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  clearTimeout(timer);
}

interface HealthDefinition {
  readonly Check: {
    requestSerialize: (request: { service: string }) => Buffer;
    responseDeserialize: (bytes: Buffer) => object;
  };
}

export type HealthClient = GrpcClient<HealthDefinition>;

/** A client of grpc.health.v1 for readiness checks. */
export function createHealthClient(options: GrpcClientOptions): HealthClient {
  const { Check } = healthService;
  if (Check === undefined) throw new Error('grpc-health-check defines no Check');
  return createGrpcClient<HealthDefinition>({ Check }, options);
}

const healthResponse = z.object({ status: z.string() });

/** Resolves for a server with the status SERVING. @throws for any other status, and without a timely response */
export async function probeHealth(client: HealthClient): Promise<void> {
  const { status } = healthResponse.parse(await client.rpc.Check({ service: '' }, { deadlineMs: 800 }));
  if (status !== 'SERVING') throw new Error(`the server is ${status}`);
}
