import { findRedisServer } from '../../deploy/local/redis.ts';
import { beginOnce } from '../harness/global-setup.ts';
import { startRunPlatform } from '../harness/shared-platform.ts';

const withoutRedis =
  'redis-server is missing: the platform of this run counts in memory, and two tests, of one count over both ' +
  'gateways, are left out. Install Redis 7 or later, or name its path in REDIS_SERVER.\n';

/** Before the test files: a run with one platform for all of them. */
export default async function setUpPlatform(): Promise<void> {
  await beginOnce({ mayLackRedis: true });
  const redis = findRedisServer(process.env) !== undefined;
  if (!redis) process.stderr.write(withoutRedis);
  await startRunPlatform({ redis });
}
