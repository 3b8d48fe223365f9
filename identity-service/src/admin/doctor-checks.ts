import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { mode, readConfig } from '@platform/service-kit/config/config.ts';
import { Client } from '@platform/service-kit/database/connection.ts';
import { certificatesIn } from '@platform/service-kit/grpc/certificates.ts';
import { createHealthClient, probeHealth } from '@platform/service-kit/grpc/server.ts';
import { checkGrpcTls, type GrpcTls, grpcTlsFields, readGrpcTls } from '@platform/service-kit/grpc/tls.ts';
import { withTimeout } from '@platform/service-kit/process/timeout.ts';
import {
  createRedisClient,
  mastersOf,
  type RedisAddress,
  redisAddress,
} from '@platform/service-kit/redis/redis.ts';
import { errorText } from '@platform/service-kit/values/error-text.ts';
import { createTransport } from 'nodemailer';
import { z } from 'zod';
import type { Terminal } from './output.ts';

/** State of one thing that the installation depends on. */
export interface Finding {
  readonly subject: string;
  /** `unknown`: cannot be checked from here; the text says why. */
  readonly state: 'ok' | 'unknown' | 'warning' | 'failed';
  /** For an operator: a fact, and what to do about it. */
  readonly text: string;
}

type Outcome = Omit<Finding, 'subject'>;

/** Milliseconds for one check. */
const limitMs = 5_000;

const dayMs = 86_400_000;

/** Days before its expiration at which a certificate is reported as a warning. */
const renewalDays = 21;

/** Difference of two clocks, in milliseconds, that is reported as a warning. Signatures and rolling hours tolerate as much. */
const maxClockDifferenceMs = 1_000;

const ok = (text: string): Outcome => ({ state: 'ok', text });
const warning = (text: string): Outcome => ({ state: 'warning', text });
const failed = (text: string): Outcome => ({ state: 'failed', text });
const unknown = (text: string): Outcome => ({ state: 'unknown', text });

const fields = z.object({
  ...grpcTlsFields,
  MODE: mode.default('production'),
  IDENTITY_GRPC_TARGET: z.string().optional(),
  BUSINESS_GRPC_TARGET: z.string().optional(),
  WEBHOOK_GRPC_TARGET: z.string().optional(),
  DATABASE_URL: z.string().optional(),
  REDIS_URL: redisAddress.optional(),
  PUBLIC_URL: z.url().optional(),
  SMTP_URL: z.string().optional(),
  /** Set in every container of Kubernetes. */
  KUBERNETES_SERVICE_HOST: z.string().optional(),
});

const schema = fields.superRefine(checkGrpcTls);

/** Checks everything at once, each for at most five seconds. @throws ConfigError for an invalid variable */
export async function checkEverything(terminal: Pick<Terminal, 'env' | 'now'>): Promise<Finding[]> {
  const config = readConfig(schema, terminal.env);
  const tls = readGrpcTls(config);
  const now = terminal.now();
  const isInCluster = config.KUBERNETES_SERVICE_HOST !== undefined;
  const where = (name: string) => async () => unknown(`${name} is not set here`);
  const service = (name: 'IDENTITY_GRPC_TARGET' | 'BUSINESS_GRPC_TARGET' | 'WEBHOOK_GRPC_TARGET') => {
    const { [name]: target } = config;
    return target === undefined ? where(name) : () => checkService(target, tls);
  };
  const { DATABASE_URL: database, REDIS_URL: redis, PUBLIC_URL: publicUrl, SMTP_URL: smtp } = config;
  const checks: Readonly<Record<string, () => Promise<Outcome>>> = {
    'identity-service': service('IDENTITY_GRPC_TARGET'),
    'business-service': service('BUSINESS_GRPC_TARGET'),
    'webhook-service': service('WEBHOOK_GRPC_TARGET'),
    'certificates between services': async () => checkCertificate(tls, now),
    'database of identity-service':
      database === undefined ? where('DATABASE_URL') : () => checkDatabase(database),
    Redis: redis === undefined ? where('REDIS_URL') : () => checkRedis(redis),
    'public address':
      publicUrl === undefined
        ? where('PUBLIC_URL')
        : () => checkPublicUrl(new URL(publicUrl), now, isInCluster),
    mail: smtp === undefined ? where('SMTP_URL') : () => checkMail(smtp),
  };
  return Promise.all(
    Object.entries(checks).map(async ([subject, check]) => ({ subject, ...(await bounded(check)) })),
  );
}

async function bounded(check: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await withTimeout(check(), limitMs);
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
}

async function checkService(target: string, tls: GrpcTls): Promise<Outcome> {
  const client = createHealthClient({ target, tls });
  try {
    await probeHealth(client, limitMs - 500);
    return ok(`responds at ${target}`);
  } catch (error) {
    return failed(`no response at ${target}: ${errorText(error)}`);
  } finally {
    client.close();
  }
}

function checkCertificate(tls: GrpcTls, now: number): Outcome {
  if (tls.kind === 'plain') return unknown('connections between services are not encrypted here');
  const certificate = new X509Certificate(tls.cert);
  // Several while the authority is replaced.
  const authorities = certificatesIn(tls.ca);
  if (!authorities.some((ca) => certificate.checkIssued(ca) && certificate.verify(ca.publicKey)))
    return failed('GRPC_TLS_CERT was not issued by GRPC_TLS_CA: make both anew together');
  return expiryOf(Date.parse(certificate.validTo), now);
}

/** @param endsAt milliseconds since 1970 */
function expiryOf(endsAt: number, now: number): Outcome {
  const days = Math.floor((endsAt - now) / dayMs);
  if (days < 0) return failed(`the certificate expired on ${new Date(endsAt).toISOString()}`);
  const text = `the certificate is valid for ${days} more days`;
  return days < renewalDays ? warning(`${text}: renew it`) : ok(text);
}

function clockOf(theirs: number, ours: number): string | undefined {
  const difference = theirs - ours;
  if (Math.abs(difference) < maxClockDifferenceMs) return undefined;
  const seconds = (Math.abs(difference) / 1_000).toFixed(1);
  return `its clock is ${seconds} s ${difference > 0 ? 'ahead of' : 'behind'} the one here: synchronize both`;
}

const databaseState = z.object({
  clock: z.coerce.number(),
  used: z.coerce.number(),
  allowed: z.coerce.number(),
  is_standby: z.boolean(),
});

/** PostgreSQL shows the type of a session to its own role alone, and database and role to all. */
const isOfClient = `coalesce(backend_type, 'client backend') = 'client backend'
  AND datid IS NOT NULL AND usesysid IS NOT NULL`;

async function checkDatabase(url: string): Promise<Outcome> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: limitMs });
  try {
    await client.connect();
    const askedAt = Date.now();
    const { rows } = await client.query(`SELECT extract(epoch FROM clock_timestamp()) * 1000 AS clock,
      (SELECT count(*) FROM pg_stat_activity WHERE ${isOfClient}) AS used,
      current_setting('max_connections') AS allowed, pg_is_in_recovery() AS is_standby`);
    const { clock, used, allowed, is_standby } = databaseState.parse(rows[0]);
    if (is_standby) return failed('DATABASE_URL names a standby, which takes no writes');
    const connections = `${used} of ${allowed} connections are used`;
    const difference = clockOf(clock, (askedAt + Date.now()) / 2);
    if (difference !== undefined) return warning(difference);
    return used > 0.8 * allowed ? warning(`${connections}: raise max_connections`) : ok(connections);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function checkRedis(address: RedisAddress): Promise<Outcome> {
  const redis = createRedisClient(address, { followsRedirects: true, autoPipelining: false });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    const infos = await Promise.all(mastersOf(redis).map((server) => server.info('memory')));
    const policy = infos
      .map((info) => /^maxmemory_policy:(\S+)/m.exec(info)?.[1])
      .find((name) => name !== 'noeviction');
    if (policy !== undefined)
      return warning(`maxmemory-policy is ${policy}: noeviction, or counts and revocations may be lost`);
    const askedAt = Date.now();
    const [seconds = '0', micros = '0'] = (await mastersOf(redis)[0]?.time())?.map(String) ?? [];
    const clock = Number(seconds) * 1_000 + Number(micros) / 1_000;
    const difference = clockOf(clock, (askedAt + Date.now()) / 2);
    const gateways = Object.entries(await redis.hgetall('gateways')).filter(
      ([id, beatAt]) => id !== 'touched' && clock - Number(beatAt) < 2_000 && Number(beatAt) > 0,
    ).length;
    if (difference !== undefined) return warning(difference);
    if (gateways === 0) return warning('no gateway counts in it: is their REDIS_URL this one?');
    return ok(`${gateways} gateway${gateways === 1 ? '' : 's'} count${gateways === 1 ? 's' : ''} in it`);
  } finally {
    redis.disconnect();
  }
}

async function checkPublicUrl(url: URL, now: number, isInCluster: boolean): Promise<Outcome> {
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  try {
    const encrypted = url.protocol === 'https:' ? expiryOf(await expiryAt(url), now) : undefined;
    if (encrypted !== undefined && encrypted.state !== 'ok') return encrypted;
    const { status } = await fetch(new URL('/v2/businesses/me', url), { redirect: 'manual' });
    if (status !== 401) return failed(`${url.origin} responds with ${status} where the gateway says 401`);
    if (encrypted === undefined && !isHere)
      return warning(`${url.origin} is not encrypted: keys and tokens cross the network in the clear`);
    return ok(`the gateway responds at ${url.origin}${encrypted === undefined ? '' : `; ${encrypted.text}`}`);
  } catch (error) {
    const text = `${url.origin} cannot be reached: ${errorText(error)}`;
    if (isHere) return unknown(`${text}. It means this machine alone; try it in a browser`);
    // On Kubernetes, NetworkPolicies allow identity-service to connect to its neighbors only.
    return isInCluster ? unknown(`${text}, as from every pod: try it with curl from outside`) : failed(text);
  }
}

/** End of the server's certificate, of any issuer, in milliseconds since 1970. */
function expiryAt({ hostname, port }: URL): Promise<number> {
  return new Promise((resolve, reject) => {
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    // An IP address is not a valid server name (RFC 6066 section 3).
    const servername = isIP(host) === 0 ? host : '';
    const socket = connectTls({ host, port: Number(port || 443), servername, rejectUnauthorized: false });
    socket.setTimeout(limitMs, () => socket.destroy(new Error('no response in time')));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      resolve(Date.parse(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
  });
}

async function checkMail(url: string): Promise<Outcome> {
  const transport = createTransport({
    url,
    connectionTimeout: limitMs - 500,
    greetingTimeout: limitMs - 500,
  });
  try {
    await transport.verify();
    return ok('the mail server accepts the login');
  } catch (error) {
    return failed(`no email goes out: no sign-up, no new password: ${errorText(error)}`);
  } finally {
    transport.close();
  }
}
