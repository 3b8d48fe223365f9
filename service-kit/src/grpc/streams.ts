import {
  type Client,
  type handleServerStreamingCall,
  Metadata,
  type MethodDefinition,
  type ServerWritableStream,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import type { Logger } from '../telemetry/logger.ts';
import { currentRequest, inRequest, requestIdFrom } from '../telemetry/request-context.ts';
import type { Operation, Span } from '../telemetry/span.ts';
import { AppError, toAppError } from '../values/app-error.ts';
import type { CallerCheck } from './callers.ts';
import { fromGrpcError, toGrpcError } from './errors.ts';
import type { ObserveRpc } from './metrics.ts';
import { endCall, setTraceHeaders } from './spans.ts';

/*
 * Server streams: one request, any number of messages. Both sides are async iterables, so that a slow reader slows the
 * writer down.
 */

/** Context of a stream that is served. */
export interface StreamContext {
  readonly requestId: string;
  /** Aborts when the client has gone, and when the server ends. */
  readonly signal: AbortSignal;
}

/** Sends the messages that it yields; the client receives the AppError that it throws. */
export type UntypedStreamHandler = (request: never, context: StreamContext) => AsyncIterable<unknown>;

/** A method: its name, and `/package.Service/Name`. */
export interface ServedMethod {
  readonly name: string;
  readonly path: string;
}

interface ServedStreamOptions {
  readonly logger: Logger;
  readonly observe: ObserveRpc;
  readonly checkCaller: CallerCheck;
  /** Begins the span of the opening; undefined, or a result of undefined, where it is not traced. */
  readonly startOpening: ((metadata: Metadata) => Span | undefined) | undefined;
  /** Aborts when the server ends. Streams then end with UNAVAILABLE, so that clients connect to another server. */
  readonly stopping: AbortSignal;
}

/** End of an opening, with the first message. */
const opened = { 'rpc.grpc.status_code': status.OK };

/** The handler of grpc-js for a stream; writes one log line when it ends. */
export function streamHandler(
  { name: method, path }: ServedMethod,
  handler: UntypedStreamHandler,
  { logger, observe, checkCaller, startOpening, stopping }: ServedStreamOptions,
): handleServerStreamingCall<never, unknown> {
  return async (call) => {
    const startedAt = performance.now();
    const requestId = requestIdFrom(call.metadata.get('x-request-id')[0]);
    const span = startOpening?.(call.metadata);
    const attributes = { ...opened, 'request.id': requestId };
    const cancelled = new AbortController();
    call.once('cancelled', () => cancelled.abort());
    const signal = AbortSignal.any([cancelled.signal, stopping]);
    const log = (code: string, fields: object = {}) => {
      const ms = performance.now() - startedAt;
      observe(method, code, ms / 1000);
      logger.info(
        { method, requestId, traceId: span?.loggedTraceId, ms: Math.round(ms), code, ...fields },
        'rpc',
      );
    };
    try {
      checkCaller(path, call);
      const onMessage = () => span?.end(attributes);
      const write = () => writeAll(call, handler(call.request, { requestId, signal }), signal, onMessage);
      // Outside of the span, because later work of the handler belongs to no request.
      await inRequest(requestId, write);
      onMessage();
      if (stopping.aborted) throw new AppError('unavailable', 'stopping', 'the server is stopping');
      call.end();
      log(cancelled.signal.aborted ? 'CANCELLED' : 'OK');
    } catch (error) {
      const failure = toGrpcError(error);
      const { kind, reason, cause } = toAppError(error);
      const isError = kind === 'internal' || kind === 'unavailable';
      const end = { ...attributes, 'rpc.grpc.status_code': failure.code };
      span?.end(end, isError ? status[failure.code] : undefined);
      call.emit('error', failure);
      log(status[failure.code] ?? 'UNKNOWN', { reason, err: cause });
    }
  };
}

async function writeAll(
  call: ServerWritableStream<never, unknown>,
  messages: AsyncIterable<unknown>,
  signal: AbortSignal,
  onMessage: () => void,
): Promise<void> {
  for await (const message of messages) {
    if (signal.aborted) return;
    onMessage();
    if (!call.write(message)) await drained(call, signal);
  }
}

function drained(call: ServerWritableStream<never, unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      call.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    call.once('drain', done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}

/** Limits of a stream that is read. */
export interface StreamOptions {
  /** Ends the stream, without an error. */
  readonly signal: AbortSignal;
  /** Joins the log lines of several services; that of the current request where absent. */
  readonly requestId?: string;
}

/**
 * Reads a server stream until it ends. Leaving the loop cancels it.
 * @throws AppError with the status of the server; `unavailable` when the connection is lost
 */
export async function* readStream(
  client: Client,
  method: MethodDefinition<unknown, unknown>,
  request: unknown,
  { signal, requestId = currentRequest()?.requestId }: StreamOptions,
  operation: Operation,
): AsyncGenerator<unknown, void, undefined> {
  if (signal.aborted) return;
  const metadata = new Metadata();
  if (requestId !== undefined) metadata.set('x-request-id', requestId);
  const span = currentRequest()?.span?.startChild(operation);
  if (span !== undefined) setTraceHeaders(metadata, span);
  const { path, requestSerialize, responseDeserialize } = method;
  const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata);
  // A cancelled call emits an error after its reader has left.
  call.on('error', () => undefined);
  const cancel = () => call.cancel();
  signal.addEventListener('abort', cancel);
  try {
    for await (const message of call) {
      span?.end(opened);
      yield message;
    }
  } catch (error) {
    if (signal.aborted) return;
    if (span !== undefined && isServiceError(error)) endCall(span, error.code);
    throw isServiceError(error) ? fromGrpcError(error) : error;
  } finally {
    signal.removeEventListener('abort', cancel);
    span?.end(opened);
    call.cancel();
  }
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'code' in error && 'metadata' in error;
}
