import {
  type Deadline,
  type handleUnaryCall,
  type Metadata,
  Server,
  type ServiceDefinition,
  status,
} from '@grpc/grpc-js';
import { HealthImplementation, service as healthService } from 'grpc-health-check';
import { z } from 'zod';
import type { Logger } from '../telemetry/logger.ts';
import type { Registry } from '../telemetry/metrics.ts';
import { inRequest, requestIdFrom } from '../telemetry/request-context.ts';
import { type Span, spanKind } from '../telemetry/span.ts';
import { parseTraceparent } from '../telemetry/traceparent.ts';
import type { Tracer } from '../telemetry/tracer.ts';
import { hostPort } from '../values/addresses.ts';
import { toAppError } from '../values/app-error.ts';
import {
  type CallerCheck,
  type CallerTable,
  type ConfinedCallers,
  createCallerCheck,
  type grpcCallers,
} from './callers.ts';
import { createGrpcClient, type GrpcClient, type GrpcClientOptions } from './client.ts';
import { toGrpcError } from './errors.ts';
import { type ObserveRpc, servedRpcs } from './metrics.ts';
import { rpcOperation } from './spans.ts';
import {
  type ServedMethod,
  type StreamContext,
  streamHandler,
  type UntypedStreamHandler,
} from './streams.ts';
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

/** One async generator per rpc that returns a stream. */
type StreamHandlers<D> = {
  readonly [K in MethodName<D>]: D[K] extends {
    requestDeserialize: (bytes: Buffer) => infer Request;
    responseSerialize: (response: infer Response) => Buffer;
  }
    ? (request: Request, context: StreamContext) => AsyncIterable<Response>
    : never;
};

/** A service to serve: its definition and its handlers. */
export interface GrpcService {
  readonly definition: ServiceDefinition;
  readonly handlers: Readonly<Record<string, UntypedHandler>>;
  readonly streams: Readonly<Record<string, UntypedStreamHandler>>;
}

type UntypedHandler = (request: never, context: CallContext) => Promise<unknown>;

/**
 * Creates a service from a definition and its handlers. Rpcs in `Streamed` return a stream and are handled by `streams`.
 * @throws for a handler of the wrong kind, which the generated types cannot detect
 */
export function grpcService<D extends ServiceDefinition>(
  definition: D,
  handlers: UnaryHandlers<D>,
): GrpcService;
export function grpcService<D extends ServiceDefinition, Streamed extends MethodName<D>>(
  definition: D,
  handlers: Pick<UnaryHandlers<D>, Exclude<MethodName<D>, Streamed>>,
  streams: Pick<StreamHandlers<D>, Streamed>,
): GrpcService;
export function grpcService(
  definition: ServiceDefinition,
  handlers: object,
  streams: object = {},
): GrpcService {
  for (const [name, { responseStream }] of Object.entries(definition)) {
    if (responseStream !== name in streams) {
      throw new Error(`${name} needs a handler for ${responseStream ? 'a stream' : 'one response'}`);
    }
  }
  return {
    definition,
    handlers: handlers as Readonly<Record<string, UntypedHandler>>,
    streams: streams as Readonly<Record<string, UntypedStreamHandler>>,
  };
}

export interface GrpcServer {
  /** Port that it listens on. */
  readonly port: number;
  /** Sets the status of the whole server in grpc.health.v1. */
  setServing(serving: boolean): void;
  /** Refuses new calls, ends streams and finishes the running calls; cancels them after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

interface GrpcServerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls: GrpcTls;
  readonly services: readonly GrpcService[];
  /** Callers of each method, where clients have certificates. */
  readonly callers: CallerTable;
  /** Further callers of this installation. */
  readonly addedCallers?: z.output<typeof grpcCallers>;
  /** Callers that act for one business alone. */
  readonly confinedCallers?: ConfinedCallers;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Undefined or absent: calls are not traced. Of a stream, only the opening is traced, if a traced request opens it. */
  readonly tracer?: Tracer | undefined;
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
  const stopping = new AbortController();
  const checkCaller = createCallerCheck({
    tls,
    table: options.callers,
    added: options.addedCallers ?? [],
    confined: options.confinedCallers,
  });
  const { tracer } = options;
  const running = new RunningCalls();
  const handlerOptions = { logger, observe, checkCaller, tracer, running, stopping: stopping.signal };
  for (const { definition, handlers, streams } of services) {
    const methodOf = (name: string) => ({ name, path: definition[name]?.path ?? '' });
    const unary = Object.entries(handlers).map(([name, handler]) => [
      name,
      unaryHandler(methodOf(name), handler, handlerOptions),
    ]);
    const streamed = Object.entries(streams).map(([name, handler]) => [
      name,
      streamHandler(methodOf(name), handler, {
        ...handlerOptions,
        startOpening: tracer && createStartOpening(methodOf(name).path, tracer),
      }),
    ]);
    server.addService(definition, Object.fromEntries([...unary, ...streamed]));
  }
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(hostPort(host, options.port), serverCredentials(tls), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    port,
    setServing: (serving) => health.setStatus('', serving ? 'SERVING' : 'NOT_SERVING'),
    close: (graceMs) => {
      stopping.abort();
      return closeServer(server, running, graceMs);
    },
  };
}

interface HandlerOptions {
  readonly logger: Logger;
  readonly observe: ObserveRpc;
  readonly checkCaller: CallerCheck;
  readonly tracer: Tracer | undefined;
  readonly running: RunningCalls;
}

/** Running handlers of calls with one response. Their resources must stay open even if their connection has closed. */
class RunningCalls {
  #count = 0;
  readonly #waiting: (() => void)[] = [];

  begin(): void {
    this.#count++;
  }

  end(): void {
    this.#count--;
    if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves when none runs. */
  async untilNone(): Promise<void> {
    if (this.#count > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** Begins the span of a call for a traced server; every caller is a service of this platform. */
function createStartSpan(path: string, tracer: Tracer): (metadata: Metadata) => Span {
  const operation = rpcOperation(path, spanKind.server);
  return (metadata) =>
    tracer.startRequest({
      operation,
      parent: parseTraceparent(metadata.get('traceparent')[0], metadata.get('tracestate')[0]),
      isTrusted: true,
    });
}

/** The same for the opening of a stream. Streams in the background belong to no request: they begin no trace. */
function createStartOpening(path: string, tracer: Tracer): (metadata: Metadata) => Span | undefined {
  const start = createStartSpan(path, tracer);
  return (metadata) => (metadata.get('traceparent').length === 0 ? undefined : start(metadata));
}

function unaryHandler(
  { name: method, path }: ServedMethod,
  handler: UntypedHandler,
  { logger, observe, checkCaller, tracer, running }: HandlerOptions,
): handleUnaryCall<never, unknown> {
  const startSpan = tracer && createStartSpan(path, tracer);
  return async (call, callback) => {
    const startedAt = performance.now();
    const requestId = requestIdFrom(call.metadata.get('x-request-id')[0]);
    const span = startSpan?.(call.metadata);
    const end = (code: status, isError = false) => {
      const ms = performance.now() - startedAt;
      observe(method, status[code], ms / 1000);
      span?.end(
        { 'rpc.grpc.status_code': code, 'request.id': requestId },
        isError ? status[code] : undefined,
      );
      return { method, requestId, traceId: span?.loggedTraceId, ms: Math.round(ms), code: status[code] };
    };
    running.begin();
    try {
      const context = { requestId, endsAt: endOf(call.getDeadline()) };
      checkCaller(path, call);
      const response = await inRequest(requestId, () => handler(call.request, context), span);
      logger.info(end(status.OK), 'rpc');
      callback(null, response);
    } catch (error) {
      const failure = toGrpcError(error);
      const { kind, reason, cause } = toAppError(error);
      const level = kind === 'internal' ? 'error' : 'info';
      const line = end(failure.code, kind === 'internal' || kind === 'unavailable');
      logger[level]({ ...line, reason, err: cause }, 'rpc');
      callback(failure);
    } finally {
      running.end();
    }
  };
}

function endOf(deadline: Deadline): number {
  return performance.now() + (Number(deadline) - Date.now());
}

async function closeServer(server: Server, running: RunningCalls, graceMs: number): Promise<void> {
  const { promise: expired, resolve: expire } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    server.forceShutdown();
    expire();
  }, graceMs);
  await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  await Promise.race([running.untilNone(), expired]);
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

/** Resolves for a server with the status SERVING. @throws for any other status, and without a response in time */
export async function probeHealth(client: HealthClient, deadlineMs = 800): Promise<void> {
  const { status } = healthResponse.parse(await client.rpc.Check({ service: '' }, { deadlineMs }));
  if (status !== 'SERVING') throw new Error(`the server is ${status}`);
}
