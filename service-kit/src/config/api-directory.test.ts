import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { apiDirectory } from './api-directory.ts';
import { readConfig } from './config.ts';

const read = (environment: Record<string, string>) =>
  readConfig(z.object({ API_DIR: apiDirectory }), environment).API_DIR;

test('Without a directory, the API is the document of the platform alone.', () => {
  expect(read({}).documents.map(({ isPlatform }) => isPlatform)).toEqual([true]);
});

test('A directory that cannot be read is a mistake of the configuration, with its variable.', () => {
  expect(() => read({ API_DIR: '/nowhere' })).toThrow('API_DIR: /nowhere: there is no such directory');
});
