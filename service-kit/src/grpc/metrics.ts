import { Histogram, type Registry } from '../metrics.ts';

/** Tells how long an rpc took, and its gRPC status by name. */
export type ObserveRpc = (method: string, code: string, seconds: number) => void;

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

const labelNames = ['method', 'code'];

/** Rpcs that a service answers. */
export function servedRpcs(registry: Registry): ObserveRpc {
  return observer(
    new Histogram({
      name: 'rpc_duration_seconds',
      help: 'Time until an rpc was answered here, by method and gRPC status.',
      labelNames,
      buckets,
      registers: [registry],
    }),
  );
}

/** Rpcs that a service sends; one of these for all its clients. */
export function sentRpcs(registry: Registry): ObserveRpc {
  return observer(
    new Histogram({
      name: 'rpc_client_duration_seconds',
      help: 'Time until an rpc to another service had its answer, or was given up, by method and gRPC status.',
      labelNames,
      buckets,
      registers: [registry],
    }),
  );
}

function observer(duration: Histogram): ObserveRpc {
  return (method, code, seconds) => duration.observe({ method, code }, seconds);
}
