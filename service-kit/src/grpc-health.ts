import { service as healthService } from 'grpc-health-check';
import { z } from 'zod';
import { createGrpcClient, type GrpcClient, type GrpcClientOptions } from './grpc-client.ts';

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

const answer = z.object({ status: z.string() });

/** Resolves when the server says that it serves. @throws when it does not, or not in time */
export async function probeHealth(client: HealthClient): Promise<void> {
  const { status } = answer.parse(await client.rpc.Check({ service: '' }, { deadlineMs: 800 }));
  if (status !== 'SERVING') throw new Error(`the server is ${status}`);
}
