import { type Metadata, status } from '@grpc/grpc-js';
import type { Attributes, Operation, Span } from '../telemetry/span.ts';

/** The operation of a method. @param path `/package.Service/Name` */
export function rpcOperation(path: string, kind: Operation['kind'], server: Attributes = {}): Operation {
  const [service, method] = path.slice(1).split('/');
  const attributes = { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method, ...server };
  return { name: path.slice(1), kind, attributes };
}

/** Address of a target that is one host. */
export function serverOf(target: string): Attributes {
  const [, host, port] = /^dns:\/\/\/([^,]+):(\d+)$/.exec(target) ?? [];
  return port === undefined ? {} : { 'server.address': host, 'server.port': Number(port) };
}

/** Ends the span of a call. */
export function endCall(span: Span, code: status): void {
  // A hedged call that was cancelled because another attempt succeeded is not an error.
  const isError = code !== status.OK && code !== status.CANCELLED;
  span.end({ 'rpc.grpc.status_code': code }, isError ? status[code] : undefined);
}

/** Adds a call to the trace of its span. */
export function setTraceHeaders(metadata: Metadata, { traceparent, tracestate }: Span): void {
  metadata.set('traceparent', traceparent);
  if (tracestate !== '') metadata.set('tracestate', tracestate);
}
