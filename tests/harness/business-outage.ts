import { AppError } from '@platform/service-kit/values/app-error.ts';
import { connectCanaryKeys } from './canary-keys.ts';
import { expectEventually } from './expect-eventually.ts';
import type { PlatformProcesses } from './platform.ts';

/** Belongs to no business, which only business-service can tell. */
const unknownBusiness = 2_000_000_000;

/**
 * Waits until every identity-service reaches business-service again, after a test has stopped or frozen it: each connects
 * by itself within a second after business-service is ready, and refuses requests that need it until then.
 */
export async function untilBusinessIsBack({
  identities,
}: Pick<PlatformProcesses, 'identities'>): Promise<void> {
  for (const { ports } of identities) {
    const keys = connectCanaryKeys(`ipv4:127.0.0.1:${ports.grpc}`, unknownBusiness);
    const isReached = async () => {
      const error: unknown = await keys.takeKey('test').catch((reason: unknown) => reason);
      if (!(error instanceof AppError) || error.reason !== 'business_not_found') throw error;
    };
    await expectEventually(isReached, { withinMs: 5_000 }).finally(keys.disconnect);
  }
}
