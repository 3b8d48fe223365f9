import { redisAddress } from './redis.ts';

test.each([
  ['redis://:p@redis:6379', { kind: 'server', url: 'redis://:p@redis:6379' }],
  ['rediss://redis', { kind: 'server', url: 'rediss://redis' }],
  [
    'redis+cluster://a,b:7001,[::1]:7002',
    {
      kind: 'cluster',
      tls: false,
      username: undefined,
      password: undefined,
      endpoints: [
        { host: 'a', port: 6379 },
        { host: 'b', port: 7001 },
        { host: '::1', port: 7002 },
      ],
    },
  ],
  [
    'rediss+cluster://user:p%40ss%2F@10.0.0.1:7000/',
    {
      kind: 'cluster',
      tls: true,
      username: 'user',
      password: 'p@ss/',
      endpoints: [{ host: '10.0.0.1', port: 7000 }],
    },
  ],
  [
    'rediss+sentinel://:secret@a,b:26380/main',
    {
      kind: 'sentinel',
      tls: true,
      master: 'main',
      username: undefined,
      password: 'secret',
      endpoints: [
        { host: 'a', port: 26379 },
        { host: 'b', port: 26380 },
      ],
    },
  ],
])('the Redis URL %s is parsed', (text, address) => {
  expect(redisAddress.parse(text)).toEqual(address);
});

test.each([
  ['http://:hunter3@redis', 'must be redis://'],
  ['redis+cluster:/a', 'must be redis://'],
  ['redis+ring://a', 'must be redis://'],
  ['redis+cluster://', 'must be redis://'],
  ['redis+cluster://a,', 'names a host'],
  ['redis+cluster://a:0', 'names a host'],
  ['redis+cluster://a:65536', 'names a host'],
  ['redis+cluster://a b', 'names a host'],
  ['redis+cluster://a/2', 'names a database'],
  ['redis+cluster://hunter3@a', 'has a user or password'],
  ['redis+cluster://:hunter%@a', 'has a user or password'],
  ['redis+cluster://:hunter3@hunter4@a', 'has a user or password'],
  ['redis+sentinel://a', 'does not name the master'],
  ['redis+sentinel://a/', 'does not name the master'],
])('%s is refused, and the reason does not repeat it', (text, reason) => {
  const message = redisAddress.safeParse(text).error?.issues[0]?.message ?? '';
  expect(message).toContain(reason);
  expect(message).not.toContain('hunter');
});
