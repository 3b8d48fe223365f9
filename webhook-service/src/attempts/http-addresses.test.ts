import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { hostname } from 'node:os';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../../deploy/local/process/free-port.ts';
import { createAuthority } from '../../../tests/harness/certificates.ts';
import { type DnsServer, startDnsServer } from '../../testing/dns-server.ts';
import { type Receiver, respondWith, response, startReceiver } from '../../testing/receiver.ts';
import { networks } from '../addresses/address.ts';
import type { AddressRules } from '../addresses/url.ts';
import { createSender, type Sender } from './http-attempt.ts';

/*
 * Names of a hostile receiver, from the lookup to the socket. The receiver has an address that the rules allow; on the
 * same port of every other address of this machine stands a canary that must see no connection.
 */

const receiverAddress = '127.0.0.2';
const authority = createAuthority();
const trusted = tls.getCACertificates('default');

let dns: DnsServer;
let receiver: Receiver;
let canaryConnections = 0;
const canaries: Server[] = [];

beforeAll(async () => {
  tls.setDefaultCACertificates([...trusted, authority.sign(['ca']).ca]);
  dns = await startDnsServer();
  const { cert, key } = authority.sign(['hooks.example', receiverAddress]);
  receiver = await startReceiver({
    host: receiverAddress,
    // Of all addresses of this machine.
    port: await freePort(),
    tls: { cert, key },
    onData: respondWith(response(200, '', ['Connection: close'])),
  });
  for (const host of ['127.0.0.1', '127.0.0.3', '::1']) {
    const canary = createServer(() => canaryConnections++).listen(receiver.port, host);
    await once(canary, 'listening');
    canaries.push(canary);
  }
});

afterAll(async () => {
  tls.setDefaultCACertificates(trusted);
  await receiver.close();
  await dns.close();
  for (const canary of canaries) await new Promise((resolve) => canary.close(resolve));
});

const senders: Sender[] = [];
afterEach(() => {
  for (const sender of senders.splice(0)) sender.close();
  expect(canaryConnections).toBe(0);
});

const rules = (allowed: string): AddressRules => ({
  allowedNetworks: networks.parse(allowed),
  allowedPorts: new Set([receiver.port]),
  allowsLoopback: false,
});

function send(host: string, allowed = `${receiverAddress}/32`, limitMs = 15_000) {
  const sender = createSender({ rules: rules(allowed), dnsServers: [dns.address], limitMs });
  senders.push(sender);
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' };
  const { signal } = new AbortController();
  return sender.sendAttempt({ url: `https://${host}:${receiver.port}/hook`, headers, body: '{}', signal });
}

test('a name that resolves to an allowed address is dialed there, with the name as Host', async () => {
  dns.serve('hooks.example', { addresses: [receiverAddress] });
  expect(await send('hooks.example')).toMatchObject({ outcome: 'delivered', status: 200 });
  expect(receiver.received).toContain(`Host: hooks.example:${receiver.port}\r\n`);
});

test('a literal address that is allowed needs no lookup', async () => {
  const before = dns.questions.length;
  expect(await send(receiverAddress)).toMatchObject({ outcome: 'delivered' });
  expect(dns.questions).toHaveLength(before);
});

test.each<{ kind: string; addresses: readonly string[]; alias?: string }>([
  { kind: 'loopback', addresses: ['127.0.0.1'] },
  { kind: 'loopback of IPv6', addresses: ['::1'] },
  { kind: 'loopback, mapped', addresses: ['::ffff:127.0.0.1'] },
  { kind: 'the receiver, mapped', addresses: [`::ffff:${receiverAddress}`] },
  { kind: 'loopback by NAT64', addresses: ['64:ff9b::127.0.0.1'] },
  { kind: 'a private net', addresses: ['10.0.0.1'] },
  { kind: 'metadata', addresses: ['169.254.169.254'] },
  { kind: 'this network', addresses: ['0.0.0.0'] },
  { kind: 'an allowed address and a forbidden one', addresses: [receiverAddress, '127.0.0.1'] },
  { kind: 'a forbidden address and an allowed one', addresses: ['127.0.0.1', receiverAddress] },
  { kind: 'A allowed, AAAA forbidden', addresses: [receiverAddress, '::1'] },
  { kind: 'a public address and a forbidden one', addresses: ['8.8.8.8', '127.0.0.3'] },
  { kind: 'one forbidden address behind many', addresses: [...Array(40).fill(receiverAddress), '127.0.0.3'] },
  { kind: 'a forbidden address behind a CNAME', addresses: ['127.0.0.1'], alias: 'internal.example' },
  {
    kind: 'an allowed address and AAAA behind a CNAME',
    addresses: [receiverAddress, '::1'],
    alias: 'localhost',
  },
])('a name with $kind is not dialled at all', async ({ addresses, alias }) => {
  dns.serve('hostile.example', { addresses, ...(alias === undefined ? {} : { alias }) });
  expect(await send('hostile.example')).toMatchObject({
    outcome: 'address_not_allowed',
    status: undefined,
    errorCode: 'EACCES',
  });
});

test('an allowed address behind a CNAME is dialled', async () => {
  dns.serve('hooks.example', { addresses: [receiverAddress], alias: 'edge.example' });
  expect(await send('hooks.example')).toMatchObject({ outcome: 'delivered' });
});

test('a connection makes a single lookup, so that a later change of the name has no effect', async () => {
  dns.serve('rebind.example', { addresses: [receiverAddress] }, { addresses: ['127.0.0.1'] });
  // Its certificate has another name; what counts is where the connection went.
  expect(await send('rebind.example')).toMatchObject({ outcome: 'tls_failed' });
  const questions = dns.questions.filter((question) => question.endsWith(' rebind.example'));
  expect(questions.toSorted()).toEqual(['A rebind.example', 'AAAA rebind.example']);
  expect(await send('rebind.example')).toMatchObject({ outcome: 'address_not_allowed' });
});

test.each(['localhost', 'a.localhost', '127.0.0.1', '[::1]', '[::ffff:7f00:2]', '0.0.0.0', '127.0.0.3'])(
  '%s is refused without a lookup',
  async (host) => {
    const before = dns.questions.length;
    expect(await send(host)).toMatchObject({ outcome: 'address_not_allowed' });
    expect(dns.questions).toHaveLength(before);
  },
);

test('a name without addresses, or whose server fails, is not found', async () => {
  dns.serve('empty.example', { addresses: [] });
  dns.serve('broken.example', 'servfail');
  expect(await send('empty.example')).toMatchObject({ outcome: 'name_not_found', errorCode: 'ENODATA' });
  expect(await send('absent.example')).toMatchObject({ outcome: 'name_not_found', errorCode: 'ENOTFOUND' });
  expect(await send('broken.example')).toMatchObject({ outcome: 'name_not_found', errorCode: 'ESERVFAIL' });
});

test('an attempt times out when the DNS server does not respond', async () => {
  dns.serve('slow.example', 'silent');
  expect(await send('slow.example', receiverAddress, 200)).toMatchObject({ outcome: 'timed_out' });
});

test('a name that the local machine knows is still looked up in DNS', async () => {
  const name = hostname().toLowerCase();
  expect(await send(name)).toMatchObject({ outcome: 'name_not_found' });
  expect(dns.questions).toContain(`A ${name}`);
});
