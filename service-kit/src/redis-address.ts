import { z } from 'zod';

/** Where Redis is: one server, the nodes of a Cluster, or the Sentinels that know the master of a name. */
export type RedisAddress =
  | { readonly kind: 'server'; readonly url: string }
  | (Endpoints & { readonly kind: 'cluster' })
  | (Endpoints & { readonly kind: 'sentinel'; readonly master: string });

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

interface Endpoints {
  readonly endpoints: readonly Endpoint[];
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly tls: boolean;
}

const serverShape = z.url({ protocol: /^rediss?$/ });
const shape =
  /^redis(?<tls>s?)\+(?<kind>cluster|sentinel):\/\/(?:(?<auth>.*)@)?(?<hosts>[^/@]+)(?:\/(?<name>[^/]*))?$/;
const endpointShape = /^(?:\[(?<v6>[0-9a-f:.]+)\]|(?<host>[^:[\]\s]+))(?::(?<port>\d{1,5}))?$/i;
const defaultPorts = { cluster: 6_379, sentinel: 26_379 };

const expected =
  'must be redis://…, redis+cluster://host:port,host:port or redis+sentinel://host:port,host:port/master-name, or the same with rediss';

/** REDIS_URL. What is wrong with it is said without any part of it, since it may hold a password. */
export const redisAddress = z.string().transform((text, context): RedisAddress => {
  const address = serverShape.safeParse(text).success ? { kind: 'server' as const, url: text } : parse(text);
  if (typeof address !== 'string') return address;
  context.addIssue({ code: 'custom', message: address });
  return z.NEVER;
});

/** The address, or what is wrong with it. */
function parse(text: string): RedisAddress | string {
  const parts = shape.exec(text)?.groups;
  if (parts === undefined) return expected;
  const kind = parts.kind === 'cluster' ? 'cluster' : 'sentinel';
  const endpoints = (parts.hosts ?? '').split(',').map((host) => parseEndpoint(host, defaultPorts[kind]));
  const known = endpoints.filter((endpoint) => endpoint !== undefined);
  if (known.length !== endpoints.length) return 'names a host that is not host:port';
  const auth = parseAuth(parts.auth);
  if (auth === undefined) return 'has a user or password that is not percent-encoded';
  const shared = { endpoints: known, tls: parts.tls === 's', ...auth };
  if (kind === 'sentinel') {
    return parts.name ? { kind, master: parts.name, ...shared } : 'does not name the master: …/master-name';
  }
  return parts.name ? 'names a database: a Cluster has only one' : { kind, ...shared };
}

function parseEndpoint(text: string, defaultPort: number): Endpoint | undefined {
  const parts = endpointShape.exec(text)?.groups;
  const port = Number(parts?.port ?? defaultPort);
  const host = parts?.v6 ?? parts?.host;
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}

function parseAuth(auth: string | undefined): Pick<Endpoints, 'username' | 'password'> | undefined {
  if (auth === undefined) return { username: undefined, password: undefined };
  const colon = auth.indexOf(':');
  if (colon === -1 || /[@/]/.test(auth)) return undefined;
  try {
    const [username, password] = [auth.slice(0, colon), auth.slice(colon + 1)].map(decodeURIComponent);
    return { username: username || undefined, password: password || undefined };
  } catch {
    return undefined;
  }
}
