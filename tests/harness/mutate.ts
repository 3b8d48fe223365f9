/** Random numbers that are the same for the same seed, so that a failure can be repeated. */
export type Random = (below: number) => number;

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    // mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** Tokens that HTTP parsers are known to misread. */
const tokens = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '\0',
  '\t',
  ' ',
  ':',
  ';',
  ',',
  '%',
  '\\',
  '\x7f',
  '\x80',
  '\xff',
  '[',
  '#',
  '0',
  '-1',
  '+5',
  '0x10',
  '99999999999999999999',
  '1e3',
  'ZZ\r\n',
  '0\r\n\r\n',
  '5\r\nhello\r\n',
  ';ext="',
  'HTTP/1.1 ',
  'HTTP/1.0',
  'HTTP/2.0',
  'HTTP/0.9',
  '099',
  '100',
  '101',
  '204',
  '304',
  '600',
  '999',
  'Content-Length: 5\r\n',
  'Content-Length: 0\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Connection: close\r\n',
  'Connection: upgrade\r\nUpgrade: websocket\r\n',
  'Connection: keep-alive, Authorization\r\n',
  'Expect: 100-continue\r\n',
  'Expect: x\r\n',
  'Host: a\r\n',
  'Trailer: X\r\n',
  'TE: trailers\r\n',
  'Set-Cookie: \x01\r\n',
  'GET /v2/order HTTP/1.1\r\nHost: x\r\n\r\n',
  'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n',
].map((text) => Buffer.from(text, 'latin1'));

/** Changes a message one to six times: flips, removes or repeats bytes, inserts tokens, or adds the end of another message. */
export function mutate(message: Buffer, others: readonly Buffer[], random: Random): Buffer {
  let bytes: Buffer = Buffer.from(message);
  for (let changes = 1 + random(6); changes > 0; changes--) bytes = changeOnce(bytes, others, random);
  return bytes;
}

function changeOnce(bytes: Buffer, others: readonly Buffer[], random: Random): Buffer {
  const at = random(bytes.length + 1);
  const length = random(12);
  const token = tokens[random(tokens.length)] ?? Buffer.alloc(0);
  const other = others[random(others.length)] ?? bytes;
  const before = bytes.subarray(0, at);
  switch (random(6)) {
    case 0:
      return Buffer.concat([before, Buffer.from([random(256)]), bytes.subarray(at + 1)]);
    case 1:
      return Buffer.concat([before, bytes.subarray(at + length)]);
    case 2:
      return Buffer.concat([before, bytes.subarray(at, at + length), bytes.subarray(at)]);
    case 3:
      return Buffer.concat([before, token, bytes.subarray(at)]);
    case 4:
      return Buffer.concat([before, token, bytes.subarray(at + token.length)]);
    default:
      return Buffer.concat([before, other.subarray(random(other.length + 1))]);
  }
}
