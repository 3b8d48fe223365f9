import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runDirectory } from './run-directory.ts';

/**
 * A directory for API_DIR with the document of a service `invoices`, which has two operations, one of them a WebSocket, and one
 * scope, `invoices:read`.
 * @param origin where it runs
 */
export function ownDocuments(origin = 'http://127.0.0.1:9'): string {
  const directory = runDirectory().newDirectory('api');
  const document = {
    openapi: '3.1.0',
    info: { title: 'Invoices', version: '1' },
    'x-upstreams': { invoices: { origins: [origin] } },
    paths: {
      '/v2/invoices': {
        get: {
          operationId: 'listInvoices',
          security: [{ oauth2: ['invoices:read'] }],
          'x-upstream': 'invoices',
        },
      },
      '/v2/invoices/changes': {
        get: {
          operationId: 'watchInvoices',
          security: [{ oauth2: ['invoices:read'] }],
          'x-upstream': 'invoices',
          'x-websocket': true,
        },
      },
    },
    components: {
      securitySchemes: {
        oauth2: {
          type: 'oauth2',
          flows: { authorizationCode: { scopes: { 'invoices:read': 'See what you have invoiced' } } },
        },
      },
    },
  };
  writeFileSync(join(directory, 'invoices.json'), JSON.stringify(document));
  return directory;
}
