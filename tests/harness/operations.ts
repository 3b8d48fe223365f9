import type { PlatformSecrets } from '../../deploy/local/secrets.ts';
import { importIdentityProgram } from './import-once.ts';
import { identityPatience } from './patience.ts';
import type { Environment } from './service.ts';

/** Where identity-service has its data, and who it calls. */
export interface OperationsPlace {
  readonly database: string;
  /** Undefined without Redis. */
  readonly redisUrl: string | undefined;
  readonly secrets: PlatformSecrets;
  /** gRPC target of business-service. */
  readonly businessTarget: string;
  /** More variables of the service. */
  readonly env?: Environment | undefined;
}

/** The operator under whose name the tests act. */
export const actor = {
  kind: 'operator',
  id: 'test',
  clientIp: undefined,
  requestId: 'test',
} as const;

/**
 * The operations of identity-service in the process of the test, as `npm run admin` runs them. They are loaded by the
 * first call.
 */
export function connectOperations(place: OperationsPlace) {
  let resources = new AsyncDisposableStack();
  const open = async () => {
    const program = await importIdentityProgram();
    const { openActs, actsSchema } = program;
    return {
      ...program,
      acts: openActs(actsSchema.parse(environment(place)), 'test', resources),
    };
  };
  let opened: ReturnType<typeof open> | undefined;
  return {
    open: () => {
      opened ??= open();
      return opened;
    },
    /** Ends its connections; a later call opens them again. */
    close: async () => {
      await opened?.catch(() => undefined);
      opened = undefined;
      await resources.disposeAsync();
      resources = new AsyncDisposableStack();
    },
  };
}

export type Operations = ReturnType<typeof connectOperations>;

function environment({ database, redisUrl, secrets, businessTarget, env }: OperationsPlace) {
  return {
    MODE: 'local',
    DATABASE_URL: database,
    ...(redisUrl !== undefined && { REDIS_URL: redisUrl }),
    PROPAGATION_TIMEOUT_MS: identityPatience.PROPAGATION_TIMEOUT_MS,
    BUSINESS_GRPC_TARGET: businessTarget,
    KEY_PEPPERS: secrets.keyPepper,
    CREDENTIAL_TAG_KEYS: secrets.credentialTagKey,
    PUBLIC_URL: 'http://platform.test',
    MAIL_DIR: '/nowhere',
    MAIL_FROM: 'Business API <no-reply@platform.test>',
    ...env,
  };
}
