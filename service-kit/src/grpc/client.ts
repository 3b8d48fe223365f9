import { Client, type ClientOptions, Metadata, type MethodDefinition, status } from '@grpc/grpc-js';
import { currentRequest } from '../telemetry/request-context.ts';
import { type Span, spanKind } from '../telemetry/span.ts';
import { balancerName } from './balancer.ts';
import { fromGrpcError } from './errors.ts';
import { type Attempt, createHedge } from './hedge.ts';
import type { ObserveRpc } from './metrics.ts';
import { endCall, rpcOperation, serverOf, setTraceHeaders } from './spans.ts';
import { readStream, type StreamOptions } from './streams.ts';
import { channelCredentials, type GrpcTls } from './tls.ts';

/** Limits of one call. */
export interface CallOptions {
  /** Milliseconds until the call is cancelled; those of the client where absent. */
  readonly deadlineMs?: number;
  /** Joins the log lines of several services; that of the current request where absent. */
  readonly requestId?: string;
  /** The span that it belongs to; that of the current request where absent. */
  readonly span?: Span | undefined;
}

// Generated definitions extend an index signature; only the named methods are wanted.
type MethodName<D> = keyof { [K in keyof D as string extends K ? never : K]: 0 } & keyof D;

/** One promise-returning function per rpc. A failed call rejects with an AppError. */
export type UnaryClient<D> = {
  readonly [K in MethodName<D>]: D[K] extends {
    requestSerialize: (request: infer Request) => Buffer;
    responseDeserialize: (bytes: Buffer) => infer Response;
  }
    ? (request: Request, options?: CallOptions) => Promise<Response>
    : never;
};

/** One async generator per rpc; only those that return a stream are there. */
export type StreamClient<D> = {
  readonly [K in MethodName<D>]: D[K] extends {
    requestSerialize: (request: infer Request) => Buffer;
    responseDeserialize: (bytes: Buffer) => infer Response;
  }
    ? (request: Request, options: StreamOptions) => AsyncGenerator<Response, void, undefined>
    : never;
};

export interface GrpcClient<D> {
  readonly rpc: UnaryClient<D>;
  readonly streams: StreamClient<D>;
  close(): void;
}

export interface GrpcClientOptions {
  /** gRPC target: `dns:///host:port`, or `ipv4:a:port,b:port` for several addresses. */
  readonly target: string;
  readonly tls: GrpcTls;
  /** Milliseconds until a call is cancelled that has no deadline of its own; 2,000 where absent. */
  readonly deadlineMs?: number;
  /** Milliseconds without a response after which a second attempt starts, at another address if there is one. */
  readonly hedgeAfterMs?: number;
  /** Calls wait for a connection until their deadline, instead of failing at once while there is none. */
  readonly waitForReady?: boolean;
  /** Milliseconds without a response to a keep-alive ping after which the connection is closed; 1,000 where absent. */
  readonly keepaliveTimeoutMs?: number;
  readonly observe?: ObserveRpc;
}

const maxMessageBytes = 1024 * 1024;

const channelOptions: ClientOptions = {
  // Lookups request no TXT records, because the policy is configured here.
  'grpc.service_config_disable_resolution': 1,
  'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ [balancerName]: {} }] }),
  'grpc.keepalive_time_ms': 2_000,
  'grpc.keepalive_permit_without_calls': 1,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.dns_min_time_between_resolutions_ms': 1_000,
  'grpc.max_receive_message_length': maxMessageBytes,
  'grpc.max_send_message_length': maxMessageBytes,
  // Services call each other directly and ignore http_proxy, https_proxy and grpc_proxy.
  'grpc.enable_http_proxy': 0,
};

/** A client with deadlines, keep-alive and round robin over the responsive addresses of the target. */
export function createGrpcClient<D extends object>(definition: D, options: GrpcClientOptions): GrpcClient<D> {
  const { target, tls, deadlineMs = 2_000, hedgeAfterMs, waitForReady = false, observe = () => {} } = options;
  const client = new Client(target, channelCredentials(tls), {
    ...channelOptions,
    'grpc.keepalive_timeout_ms': options.keepaliveTimeoutMs ?? 1_000,
  });
  const hedge = hedgeAfterMs === undefined ? undefined : createHedge(hedgeAfterMs);
  const methods = Object.entries(definition) as [string, MethodDefinition<unknown, unknown>][];
  const rpc = Object.fromEntries(
    methods
      .filter(([, { responseStream }]) => !responseStream)
      .map(([name, method]) => {
        const operation = rpcOperation(method.path, spanKind.client, serverOf(target));
        const send = (request: unknown, call: CallOptions = {}) => {
          const current = currentRequest();
          const { requestId = current?.requestId, span: parent = current?.span } = call;
          const deadline = Date.now() + (call.deadlineMs ?? deadlineMs);
          const attempt = () => {
            const startedAt = performance.now();
            const span = parent?.startChild(operation);
            const onEnd = (code: status) => {
              observe(name, status[code], (performance.now() - startedAt) / 1000);
              if (span !== undefined) endCall(span, code);
            };
            return unary(client, method, request, { deadline, requestId, span, waitForReady, onEnd });
          };
          return hedge === undefined ? attempt().result : hedge(attempt);
        };
        return [name, send];
      }),
  );
  const streams = Object.fromEntries(
    methods
      .filter(([, { responseStream }]) => responseStream)
      .map(([name, method]) => {
        const operation = rpcOperation(method.path, spanKind.client, serverOf(target));
        const read = (request: unknown, stream: StreamOptions) =>
          readStream(client, method, request, stream, operation);
        return [name, read];
      }),
  );
  return { rpc: rpc as UnaryClient<D>, streams: streams as StreamClient<D>, close: () => client.close() };
}

interface AttemptOptions {
  /** Milliseconds since 1970. */
  readonly deadline: number;
  readonly requestId: string | undefined;
  readonly span: Span | undefined;
  readonly waitForReady: boolean;
  /** Called with the status of the call. */
  readonly onEnd: (code: status) => void;
}

function unary(
  client: Client,
  method: MethodDefinition<unknown, unknown>,
  request: unknown,
  { deadline, requestId, span, waitForReady, onEnd }: AttemptOptions,
): Attempt<unknown> {
  const metadata = new Metadata({ waitForReady });
  if (requestId !== undefined) metadata.set('x-request-id', requestId);
  if (span !== undefined) setTraceHeaders(metadata, span);
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const call = client.makeUnaryRequest(
    method.path,
    method.requestSerialize,
    method.responseDeserialize,
    request,
    metadata,
    { deadline },
    (error, response) => {
      onEnd(error?.code ?? status.OK);
      if (error) reject(fromGrpcError(error));
      else resolve(response);
    },
  );
  return { result: promise, cancel: () => call.cancel() };
}
