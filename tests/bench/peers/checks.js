// The least that a gateway checks: a key that is known, and its count of the hour in Redis.
import { Redis } from 'ioredis';

/** Milliseconds. */
const windowMs = 3_600_000;

export const limit = 1_000_000_000;

const unauthorized = JSON.stringify({ error: 'Invalid API key', status: 'Unauthorized', code: 401 });

const tooMany = JSON.stringify({ error: 'Rate limit exceeded', status: 'Too Many Requests', code: 429 });

/** One round trip: [count, milliseconds until it begins anew]. */
const script = `local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) return {n, tonumber(ARGV[1])} end
return {n, redis.call('PTTL', KEYS[1])}`;

const records = new Map([[process.env.KEY, { keyId: 'key_1', businessId: 7 }]]);

/** The record of a header `Bearer …`; undefined for an unknown key. */
export function recordOf(authorization) {
  return authorization?.startsWith('Bearer ') ? records.get(authorization.slice(7)) : undefined;
}

export const connectRedis = () => new Redis(process.env.REDIS_URL, { enableAutoPipelining: true });

function refuse(response, status, body) {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': body.length });
  response.end(body);
}

/** A middleware with both checks. */
export async function createChecks() {
  const redis = connectRedis();
  const digest = await redis.script('LOAD', script);
  return (request, response, next) => {
    const record = recordOf(request.headers.authorization);
    if (record === undefined) return refuse(response, 401, unauthorized);
    redis.evalsha(digest, 1, `hour:${record.keyId}`, windowMs, (error, reply) => {
      if (error) return refuse(response, 503, '{}');
      const [used, resetMs] = reply;
      response.setHeader('X-RateLimit-Limit', limit);
      response.setHeader('X-RateLimit-Remaining', Math.max(0, limit - used));
      response.setHeader('X-RateLimit-Reset', Math.ceil(resetMs / 1000));
      if (used > limit) return refuse(response, 429, tooMany);
      delete request.headers.authorization;
      request.headers['x-business-id'] = String(record.businessId);
      next();
    });
  };
}
