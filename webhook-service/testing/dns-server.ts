import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

/** Addresses of a name, as A and AAAA; behind `alias`, a CNAME, if there is one. */
export interface Zone {
  readonly addresses: readonly string[];
  readonly alias?: string;
}

type Behaviour = Zone | 'silent' | 'servfail';

/** A DNS server of the test's own. Names without an entry do not exist. */
export interface DnsServer {
  /** For `setServers`. */
  readonly address: string;
  /** Questions so far, as `A hooks.example`. */
  readonly questions: string[];
  /** Each pair of questions (A and AAAA) for a name takes the next behaviour; the last one stays. */
  serve(name: string, ...behaviours: readonly [Behaviour, ...Behaviour[]]): void;
  close(): Promise<void>;
}

const types = { A: 1, CNAME: 5, AAAA: 28 };

export async function startDnsServer(): Promise<DnsServer> {
  const zones = new Map<string, readonly [Behaviour, ...Behaviour[]]>();
  const questions: string[] = [];
  const socket = createSocket('udp4');
  const behaviourOf = (name: string, type: number): Behaviour | undefined => {
    const behaviours = zones.get(name);
    const kind = type === types.A ? 'A' : 'AAAA';
    const asked = questions.filter((question) => question === `${kind} ${name}`).length;
    questions.push(`${kind} ${name}`);
    return behaviours?.[Math.min(asked, behaviours.length - 1)];
  };
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    const behaviour = behaviourOf(name, type);
    if (behaviour !== 'silent') reply(query.subarray(0, end), type, behaviour, from);
  });
  const reply = (
    query: Buffer,
    type: number,
    behaviour: Exclude<Behaviour, 'silent'> | undefined,
    from: RemoteInfo,
  ) => socket.send(responseTo(query, type, behaviour), from.port, from.address);
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    serve: (name, ...behaviours) => zones.set(name, behaviours),
    close: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** The question of a message (RFC 1035 section 4.1.2): its labels begin at byte 12. */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function responseTo(question: Buffer, type: number, behaviour: Zone | 'servfail' | undefined): Buffer {
  const records = typeof behaviour === 'object' ? recordsOf(behaviour, type) : [];
  const code = behaviour === 'servfail' ? 2 : behaviour === undefined ? 3 : 0;
  const response = Buffer.concat([question, ...records]);
  // Response, recursion desired and available; one question, the records, no others.
  response.writeUInt16BE(0x8180 | code, 2);
  response.writeUInt16BE(records.length, 6);
  response.writeUInt32BE(0, 8);
  return response;
}

function recordsOf({ addresses, alias }: Zone, type: number): Buffer[] {
  const owner = alias === undefined ? Buffer.of(0xc0, 12) : nameBytes(alias);
  const kind = type === types.A ? 'ipv4' : 'ipv6';
  const found = addresses.map((text) => ipaddr.parse(text)).filter((address) => address.kind() === kind);
  return [
    ...(alias === undefined ? [] : [record(Buffer.of(0xc0, 12), types.CNAME, nameBytes(alias))]),
    ...found.map((address) => record(owner, type, Buffer.from(address.toByteArray()))),
  ];
}

/** A record of class IN with TTL 0. */
function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, head, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.of(0)]);
}
