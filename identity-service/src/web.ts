import type { Logger } from '@platform/service-kit/logger.ts';
import type { Registry } from '@platform/service-kit/metrics.ts';
import type { Express } from 'express';
import type { Config } from './config.ts';
import { createApp } from './http/app.ts';
import { createSessions } from './http/session.ts';
import type { Storage } from './storage.ts';
import { createSessionStore } from './store/session-store.ts';

export interface WebDeps {
  readonly config: Config;
  readonly storage: Storage;
  readonly registry: Registry;
  readonly logger: Logger;
}

/** Everything that identity-service serves over HTTP. */
export function createWeb({ config, storage, registry, logger }: WebDeps): Express {
  const { database, prisma } = storage;
  const sessionStore = createSessionStore(database, prisma, {
    idleSeconds: config.SESSION_IDLE_SECONDS,
    totalSeconds: config.SESSION_SECONDS,
  });
  const sessions = createSessions({
    store: sessionStore,
    secrets: config.SESSION_SECRETS,
    publicUrl: config.PUBLIC_URL,
  });
  return createApp({
    gatewaySecret: config.GATEWAY_SECRET,
    publicUrl: config.PUBLIC_URL,
    logger,
    registry,
    sessions,
    endpoints: [],
    pages: [],
  });
}
