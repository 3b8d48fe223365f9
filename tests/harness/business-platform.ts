import { generateKeyPairSync } from 'node:crypto';
import { SignJWT } from 'jose';
import { type Businesses, connectBusinesses } from './businesses.ts';
import { type HttpResponse, request } from './http-request.ts';
import { databasePatience, timeLimits } from './patience.ts';
import { createDatabase, query } from './postgres.ts';
import { type Environment, spawnService, type TestService } from './service.ts';

const passportKeys = generateKeyPairSync('ed25519');
const allScopes = 'business:read events:read orders:read orders:write';

/** Variables with which business-service accepts the passports of `signPassport`. */
export const passportPublicKey = passportKeys.publicKey
  .export({ format: 'der', type: 'spki' })
  .toString('base64');

/** Signs a passport like identity-service. `claims` override the defaults. */
export function signPassport(
  businessId: number,
  claims: Readonly<Record<string, unknown>> = {},
  key = passportKeys.privateKey,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({
    iss: 'identity-service',
    aud: 'business-service',
    sub: 'key_of_a_test',
    iat: now,
    exp: now + 600,
    business_id: businessId,
    credential_type: 'secret_key',
    scope: allScopes,
    ...claims,
  })
    .setProtectedHeader({ alg: 'EdDSA' })
    .sign(key);
}

export interface CallOptions {
  readonly passport?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: unknown;
}

/** A business-service with a database, a verified business, and no gateway in front. */
export interface BusinessPlatform {
  readonly services: readonly TestService[];
  readonly databaseUrl: string;
  readonly businessId: number;
  readonly businesses: Businesses;
  /** Sends an HTTP request like the gateway, by default with a passport that has every scope. */
  call(method: string, path: string, options?: CallOptions): Promise<HttpResponse>;
  sql<Row extends Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export interface BusinessPlatformOptions {
  readonly databaseUrl?: string;
  readonly replicas?: number;
  readonly env?: Environment;
  /** Whether the database has its time limits of production, for tests about them. Others tolerate a busy machine. */
  readonly strictTimes?: boolean;
}

/** Starts the replicas at once, on one empty database. */
export async function startBusinessPlatform(
  options: BusinessPlatformOptions = {},
): Promise<BusinessPlatform> {
  const databaseUrl = options.databaseUrl ?? (await createDatabase('business-service'));
  const env = {
    DATABASE_URL: databaseUrl,
    PASSPORT_PUBLIC_KEYS: passportPublicKey,
    ...timeLimits(databasePatience, options.strictTimes),
    ...options.env,
  };
  const services = await Promise.all(
    Array.from({ length: options.replicas ?? 1 }, (_, i) =>
      spawnService('business-service', env, `business-service-${i + 1}`),
    ),
  );
  const targets = services.map(({ ports }) => `127.0.0.1:${ports.grpc}`);
  const businesses = connectBusinesses(`ipv4:${targets.join(',')}`);
  const businessId = await businesses.createVerifiedBusiness('tea');
  const passport = await signPassport(businessId);
  let turn = 0;
  return {
    services,
    databaseUrl,
    businessId,
    businesses,
    call: (method, path, { headers, ...rest } = {}) => {
      const port = services[turn++ % services.length]?.ports.http ?? 0;
      return request(port, method, path, {
        ...rest,
        headers: { 'X-Passport': rest.passport ?? passport, ...headers },
      });
    },
    sql: (text, values) => query(databaseUrl, text, values),
    close: async () => {
      businesses.disconnect();
      await Promise.all(services.map((service) => service.isRunning() && service.stop()));
    },
  };
}

/** The body of an order that is accepted. */
export const orderBody = {
  currency: 'EUR',
  line_items: [
    { name: 'Tea', sku: 'T-1', quantity: 2, unit_amount: 450 },
    { name: 'Cup', quantity: 1, unit_amount: 1_200 },
  ],
  customer: { name: 'Ada Lovelace', email: 'ada@example.com' },
  metadata: { channel: 'web' },
};
