import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, readApi } from '@platform/service-kit/api/api.ts';

/** An operation of the service `shop` that needs `shop:read`. */
export const shopOperation = (operationId: string, more: object = {}) => ({
  operationId,
  security: [{ apiKey: ['shop:read'] }],
  'x-upstream': 'shop',
  ...more,
});

/** Document of a service `shop` with one scope. @param more further parts of it */
export const shopDocument = (paths: object, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  'x-upstreams': { shop: { origins: ['http://127.0.0.1:4600'] } },
  paths,
  components: {
    securitySchemes: {
      apiKey: { type: 'http', scheme: 'bearer' },
      oauth2: { type: 'oauth2', flows: { authorizationCode: { scopes: { 'shop:read': 'See your shop' } } } },
    },
  },
  ...more,
});

/** A directory of one document. */
export function apiDirectoryOf(document: object): string {
  const directory = mkdtempSync(join(tmpdir(), 'own-api-'));
  writeFileSync(join(directory, 'shop.json'), JSON.stringify(document, null, 1));
  return directory;
}

/** The platform's API together with a document. */
export const apiWith = (document: object): Api => readApi(apiDirectoryOf(document));
