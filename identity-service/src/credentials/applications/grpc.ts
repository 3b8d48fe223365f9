import { createHash } from 'node:crypto';
import type { originService } from '@platform/protos/identity';
import type { UnaryHandlers } from '@platform/service-kit/grpc/server.ts';
import type { ApplicationStore } from './store.ts';

/** identity.v1.OriginService. */
export function originHandlers(
  applications: Pick<ApplicationStore, 'allowedOrigins'>,
): UnaryHandlers<typeof originService> {
  return {
    ListAllowedOrigins: async ({ knownVersion }) => {
      const origins = await applications.allowedOrigins();
      const version = createHash('sha256').update(origins.join(' ')).digest('base64url');
      return { version, origins: version === knownVersion ? [] : origins };
    },
  };
}
