import { test } from '@jest/globals';
import { findRedisServer } from '../../deploy/local/redis.ts';

/** A test of what replicas share, left out where there is no redis-server; the run says so at its start. */
export const testWithRedis = findRedisServer(process.env) === undefined ? test.skip : test;
