import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import express from 'express';
import { frontPageRoutes } from './front-page.ts';

test('a front page that the operators configured replaces the built-in one', async () => {
  const routes = frontPageRoutes({ elsewhere: 'https://www.example.com/', showsPromises: false });
  const server = express().use(routes).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { status, headers } = await fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' });
  server.close();
  expect([status, headers.get('location')]).toEqual([303, 'https://www.example.com/']);
});
