import { Histogram, type Registry } from '../telemetry/metrics.ts';

/** Records the duration of an rpc and the name of its gRPC status. */
export type ObserveRpc = (method: string, code: string, seconds: number) => void;

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

const labelNames = ['method', 'code'];

/** Rpcs that a service receives. */
export function servedRpcs(registry: Registry): ObserveRpc {
  return observer(
    new Histogram({
      name: 'rpc_duration_seconds',
      help: 'Time until the response of an rpc that this service received, by method and gRPC status.',
      labelNames,
      buckets,
      registers: [registry],
    }),
  );
}

/** Rpcs that a service sends; one observer for all its clients. */
export function sentRpcs(registry: Registry): ObserveRpc {
  return observer(
    new Histogram({
      name: 'rpc_client_duration_seconds',
      help: 'Time until the response or cancellation of an rpc that this service sent, by method and gRPC status.',
      labelNames,
      buckets,
      registers: [registry],
    }),
  );
}

function observer(duration: Histogram): ObserveRpc {
  return (method, code, seconds) => duration.observe({ method, code }, seconds);
}
