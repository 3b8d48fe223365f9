// The token endpoint beside node-oidc-provider on PostgreSQL, which issues opaque tokens without an ID token, too.
import { createHmac, randomBytes } from 'node:crypto';
import { type HttpResponse, request } from '../harness/http-request.ts';
import { connect, oauthClient, pkce, type Tokens, tokensOf } from '../harness/oauth.ts';
import { signUpVerified } from '../harness/people.ts';
import type { Platform } from '../harness/platform.ts';
import { createDatabase } from '../harness/postgres.ts';
import { type Bench, callFor, print, quantile, seconds, type Worker } from './calls.ts';
import { installPeers } from './peers.ts';
import { pin } from './pin.ts';
import { cpuMsOf } from './process-usage.ts';
import { type Script, startScript } from './script.ts';
import { ratioOf } from './spread.ts';
import { atLeast, type Target } from './table.ts';

/** Rounds of each side, in turns. */
const rounds = 3;

/** Codes that are made for each connection before a round. */
const codesOfRound = seconds * 50;

/** Connections of 8 businesses to 3 applications each. */
async function openConnections(platform: Platform) {
  const people = await Promise.all(Array.from({ length: 8 }, () => signUpVerified(platform)));
  const publisher = await platform.createVerifiedBusiness('publisher');
  const applications = [];
  for (let index = 0; index < 3; index++) {
    applications.push(await platform.createApplication({ businessId: publisher }));
  }
  const opened = [];
  for (const { browser, businessId } of people) {
    for (const application of applications) {
      const tokens: Tokens = await connect(platform, browser, application);
      opened.push({ businessId, application, client: oauthClient(platform, application), tokens });
    }
  }
  return opened;
}

type Connection = Awaited<ReturnType<typeof openConnections>>[number];

async function startPeer(grants: number): Promise<Script> {
  if (!installPeers()) throw new Error('node-oidc-provider could not be installed: npm reaches no registry');
  const peer = await startScript('tests/bench/peers/oidc-provider.js', [], {
    DATABASE_URL: await createDatabase(),
    GRANTS: String(grants),
  });
  pin('measured', peer.pid);
  return peer;
}

/** Tokens of the peer for a code or a refresh token. */
async function peerTokens({ port }: Script, grant: Readonly<Record<string, string>>) {
  const response = await request(port, 'POST', '/token', {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams({ client_id: 'bench', client_secret: 'bench', ...grant })),
  });
  return json<{ readonly refresh_token: string }>(response);
}

function json<T>(response: HttpResponse): T {
  if (response.status !== 200) throw new Error(response.text);
  return response.json() as T;
}

/** Refreshes with rotation, every connection one after another. */
export async function measureRefresh(bench: Bench): Promise<Target[]> {
  const opened = await openConnections(bench.platform);
  const own = opened.map((connection) => async () => {
    connection.tokens = tokensOf(await connection.client.refresh(connection.tokens.refreshToken));
  });
  const peer = await startPeer(opened.length);
  const first = json<string[]>(await request(peer.port, 'GET', '/refresh-tokens'));
  const theirs = first.map((given) => {
    let refreshToken = given;
    return async () => {
      const tokens = await peerTokens(peer, { grant_type: 'refresh_token', refresh_token: refreshToken });
      refreshToken = tokens.refresh_token;
    };
  });
  return compare(bench, peer, 'refreshes', { own: async () => own, theirs: async () => theirs });
}

/** Exchanges of codes with PKCE, every connection one after another. */
export async function measureExchange(bench: Bench): Promise<Target[]> {
  const opened = await openConnections(bench.platform);
  const peer = await startPeer(opened.length);
  const { verifier, challenge } = pkce();
  const exchanging = (codes: string[], exchange: (code: string) => Promise<unknown>) => async () => {
    const code = codes.pop();
    if (code === undefined) throw new Error(`${codesOfRound} codes of a connection are too few.`);
    await exchange(code);
  };
  const own = async (connection: Connection) => {
    const codes = await newCodes(bench.platform, connection, challenge);
    return exchanging(codes, async (code) => tokensOf(await connection.client.exchange(code, verifier)));
  };
  const theirs = async () => {
    const path = `/codes?count=${codesOfRound}&challenge=${challenge}`;
    const codes = json<string[][]>(await request(peer.port, 'GET', path, { timeoutMs: 300_000 }));
    const redirectUri = 'https://client.example/callback';
    const of = { grant_type: 'authorization_code', redirect_uri: redirectUri, code_verifier: verifier };
    return codes.map((those) => exchanging(those, (code) => peerTokens(peer, { ...of, code })));
  };
  return compare(bench, peer, 'exchanges', { own: () => Promise.all(opened.map(own)), theirs });
}

/** Codes as a consent leaves them. */
async function newCodes(
  { sql, secrets }: Platform,
  { businessId, application }: Connection,
  challenge: string,
): Promise<string[]> {
  const codes = Array.from({ length: codesOfRound }, () => randomBytes(32).toString('base64url'));
  await sql(
    `INSERT INTO authorization_codes (code_hash, grant_id, redirect_uri, code_challenge, scopes, expires_at)
     SELECT hash, id, $4, $5, scopes, now() + interval '10 minutes'
     FROM grants, unnest($1::bytea[]) AS hash WHERE application_id = $2 AND business_id = $3`,
    [
      codes.map((code) => createHmac('sha256', secrets.keyPepper).update(code).digest()),
      application.id,
      businessId,
      application.redirectUri,
      challenge,
    ],
  );
  return codes;
}

interface Measured {
  readonly perSecond: number;
  readonly p99: number;
  /** Of the process, per call. */
  readonly cpuMs: number;
}

type Workers = () => Promise<readonly Worker[]>;

/** Measures identity-service and its peer in turns, prints the results and stops the peer. Each round has new workers. */
async function compare(
  { identity }: Bench,
  peer: Script,
  what: string,
  { own, theirs }: { readonly own: Workers; readonly theirs: Workers },
): Promise<Target[]> {
  const ours = { name: 'identity-service', pid: identity.pid, workers: own, results: [] as Measured[] };
  const other = {
    name: 'node-oidc-provider, PostgreSQL',
    pid: peer.pid,
    workers: theirs,
    results: [] as Measured[],
  };
  const sides = [ours, other];
  for (const { workers } of sides) await callFor(await workers());
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      side.results.push(await measured(side.pid, await side.workers()));
    }
  }
  peer.stop();
  print(
    [what, `${what}/s`, 'p99 ms', 'CPU ms'],
    ...sides.map(({ name, results }) => {
      const { perSecond, p99, cpuMs } = middle(results);
      return [name, perSecond.toFixed(0), p99.toFixed(1), cpuMs.toFixed(2)];
    }),
  );
  const rates = ({ results }: typeof ours) => results.map(({ perSecond }) => perSecond);
  return [atLeast(`${what}/s over node-oidc-provider on PostgreSQL`, ratioOf(rates(ours), rates(other)), 1)];
}

async function measured(pid: number, workers: readonly Worker[]): Promise<Measured> {
  const before = cpuMsOf(pid);
  const { calls, latencies, seconds: took } = await callFor(workers);
  return {
    perSecond: calls / took,
    p99: quantile(latencies, 0.99),
    cpuMs: (cpuMsOf(pid) - before) / calls,
  };
}

/** The result with the median rate. */
function middle(results: readonly Measured[]): Measured {
  const found = results.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(results.length / 2)];
  if (found === undefined) throw new Error('nothing was measured');
  return found;
}
