// fastify, @fastify/http-proxy and @fastify/rate-limit in Redis as documented, with a check of the key.
import proxy from '@fastify/http-proxy';
import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import { connectRedis, limit, recordOf } from './checks.js';

const [port, upstreamPort] = process.argv.slice(2).map(Number);
const app = Fastify({ logger: false, keepAliveTimeout: 60_000 });
app.decorateRequest('record', null);
app.addHook('onRequest', (request, reply, done) => {
  const record = recordOf(request.headers.authorization);
  if (record === undefined) {
    reply.code(401).send({ error: 'Invalid API key', status: 'Unauthorized', code: 401 });
    return;
  }
  request.record = record;
  done();
});
await app.register(rateLimit, {
  global: true,
  max: limit,
  timeWindow: 3_600_000,
  redis: connectRedis(),
  keyGenerator: (request) => request.record.keyId,
});
await app.register(proxy, {
  upstream: `http://127.0.0.1:${upstreamPort}`,
  undici: { connections: 64, pipelining: 1 },
  replyOptions: {
    rewriteRequestHeaders: (request, { authorization: _, ...headers }) => ({
      ...headers,
      'x-business-id': String(request.record.businessId),
    }),
  },
});
await app.listen({ port, host: '127.0.0.1' });
