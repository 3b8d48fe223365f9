import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { AppError, type ErrorKind, toAppError } from '../values/app-error.ts';

const statusOfKind: Record<ErrorKind, status> = {
  invalid_argument: status.INVALID_ARGUMENT,
  not_found: status.NOT_FOUND,
  conflict: status.ALREADY_EXISTS,
  failed_precondition: status.FAILED_PRECONDITION,
  permission_denied: status.PERMISSION_DENIED,
  unavailable: status.UNAVAILABLE,
  internal: status.INTERNAL,
};

const kindOfStatus = new Map<status, ErrorKind>([
  ...Object.entries(statusOfKind).map(([kind, code]) => [code, kind as ErrorKind] as const),
  [status.DEADLINE_EXCEEDED, 'unavailable'],
  [status.CANCELLED, 'unavailable'],
  [status.RESOURCE_EXHAUSTED, 'invalid_argument'],
]);

const reasonKey = 'error-reason';

/** The error as gRPC sends it: status, public text, and the stable reason as a trailer. */
export function toGrpcError(error: unknown): Pick<ServiceError, 'code' | 'details' | 'metadata'> {
  const { kind, reason, message } = toAppError(error);
  const metadata = new Metadata();
  metadata.set(reasonKey, reason);
  return { code: statusOfKind[kind], details: message, metadata };
}

/** INTERNAL, as grpc-js says where a connection ends under a call; by the specification it is UNAVAILABLE. */
const endedWithoutStatus = 'Received RST_STREAM with code 0';

/** The error that the server threw, rebuilt on the client's side. */
export function fromGrpcError(error: ServiceError): AppError {
  const code = error.details?.startsWith(endedWithoutStatus) ? status.UNAVAILABLE : error.code;
  const kind = kindOfStatus.get(code) ?? 'internal';
  const reason = error.metadata?.get(reasonKey)[0];
  if (typeof reason === 'string') return new AppError(kind, reason, error.details, error);
  const text = kind === 'unavailable' ? 'a service did not respond in time' : 'a service call failed';
  return new AppError(kind, `grpc_${status[code].toLowerCase()}`, text, error);
}
