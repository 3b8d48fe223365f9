import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';

/* The front of docker-compose.yml (docs/decisions/compose-front.md). */

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const { front } = parse(read('docker-compose.yml'), { merge: true }).services;
const haproxy = read('deploy/docker/front/haproxy.cfg');
const setting = (name: string) => new RegExp(`^  ${name} (\\S+)$`, 'm').exec(haproxy)?.[1];

/** Bytes of a connection over TLS in HAProxy 2.6 at most, measured in a handshake and with a body on its way to a gateway. */
const connectionBytes = 54 * 1024;

test('all connections of the front fit into its memory, even twice during a certificate renewal', () => {
  // One towards the client and one towards a gateway.
  const connections = Number(setting('fd-hard-limit')) / 2;
  expect(connections).toBeGreaterThan(2_000);
  expect(front.mem_limit).toBe('1g');
  expect(2 * connections * connectionBytes).toBeLessThan(0.9 * 1024 ** 3);
});

test('one client cannot take all connections of the front', () => {
  const [, limit] = /tcp-request connection reject if \{ sc0_conn_cur gt (\d+) \}/.exec(haproxy) ?? [];
  expect(Number(limit)).toBeGreaterThan(1_000);
  expect(Number(limit)).toBeLessThanOrEqual(Number(setting('fd-hard-limit')) / 2 / 4);
});

test('requests in progress leave file descriptors for other clients, and one client cannot use them all', () => {
  const connections = Number(setting('fd-hard-limit')) / 2;
  const limits = Array.from(haproxy.matchAll(/be_conn\(gateways\) ge (\d+) \}/g), ([, limit]) =>
    Number(limit),
  );
  const [closing = 0, all] = limits;
  const [, ofClient] = /http-request reject if \{ sc1_conn_cur gt (\d+) \}/.exec(haproxy) ?? [];
  expect(all).toBeLessThan(connections);
  expect(all).toBeGreaterThan(closing);
  expect(Number(ofClient)).toBeLessThanOrEqual(closing / 2);
});

test('a renewed certificate ends no request that the gateway would still serve', () => {
  const [, limit = ''] = /requestTimeout: ([\d_]+)/.exec(read('gateway/src/edge/server.ts')) ?? [];
  const seconds = Number(limit.replaceAll('_', '')) / 1000;
  expect(seconds).toBeGreaterThan(60);
  expect(setting('hard-stop-after')).toBe(`${seconds + 10}s`);
});

test('a certificate renewal signals the front from inside its container, so that it still restarts automatically', () => {
  for (const file of ['docs/operations/install.md', 'deploy/docker/smoke.sh']) {
    expect(read(file)).toContain("exec -T front bash -c 'kill -USR2 1'");
    expect(read(file)).not.toMatch(/kill -s USR2/);
  }
  expect(front.restart).toBe('unless-stopped');
});

test('the timeout of a readiness check is longer than that of a hanging probe or worker', () => {
  const [, seconds = ''] = /^(\d+)s$/.exec(setting('timeout check') ?? '') ?? [];
  const limits = [
    /probeTimeoutMs = ([\d_]+);/.exec(read('service-kit/src/process/ops-server.ts')),
    /responseLimitMs = ([\d_]+);/.exec(read('gateway/src/workers.ts')),
  ].map((found) => Number(found?.[1]?.replaceAll('_', '')));
  expect(limits.every((limit) => limit > 0)).toBe(true);
  expect(1000 * Number(seconds)).toBeGreaterThan(Math.max(...limits));
  expect(haproxy).toMatch(/inter 1s fall 2 rise 1/);
});

test('docker-compose.yml sets no SUPPORT_EMAIL of its own, so texts fall back to the host of PUBLIC_URL', () => {
  const given = [...read('docker-compose.yml').matchAll(/^ +SUPPORT_EMAIL: (.*)$/gm)].map(
    ([, value]) => value,
  );
  // Empty counts as absent.
  expect(given).toHaveLength(2);
  for (const value of given) expect(value).toMatch(/^\$\{SUPPORT_EMAIL:-\}$/);
});
