import { expect } from '@jest/globals';
import { orderBody } from '../../harness/business-platform.ts';
import { document, expectDocumented, key, orderId, platform, usual } from './stage.ts';

/** The operations for API keys and access tokens, with a request that each accepts. */
export const operations = [
  { id: 'getCurrentBusiness', method: 'GET', path: () => '/v2/businesses/me', success: 200 },
  { id: 'listOrders', method: 'GET', path: () => '/v2/order', success: 200 },
  { id: 'createOrder', method: 'POST', path: () => '/v2/order', body: orderBody, success: 201 },
  { id: 'getOrder', method: 'GET', path: () => `/v2/order/${orderId}`, success: 200 },
  {
    id: 'changeOrder',
    method: 'PATCH',
    path: () => `/v2/order/${orderId}`,
    body: { status: 'pending' },
    success: 200,
  },
  {
    id: 'eraseCustomer',
    method: 'DELETE',
    path: () => '/v2/customers?email=unknown%40example.com',
    success: 200,
  },
  // Each type needs the scope of its resource as well.
  { id: 'listEvents', method: 'GET', path: () => '/v2/events', also: ['orders:read'], success: 200 },
] as const;
export type Operation = (typeof operations)[number];

interface Sent {
  readonly gateway?: number;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: unknown;
  readonly path?: string;
}

const send = (operation: Operation, sent: Sent = {}) => {
  const { gateway = usual, path = operation.path(), ...rest } = sent;
  const body = 'body' in operation ? { body: operation.body } : {};
  return platform.request(gateway, operation.method, path, { key, ...body, ...rest });
};

/** The path of a request as the document has it. */
export const templateOf = (path: string): string => path.replace(orderId, '{id}').split('?', 1)[0] ?? '';

/** Sends a request that the operation accepts, but for what is given, and compares the response with the document. */
export const brings = async (operation: Operation, status: number, sent: Sent = {}) => {
  const response = await send(operation, sent);
  expectDocumented(operation.method, sent.path ?? operation.path(), response, status);
  return response;
};

/** The one scope that the operation requires by the document. */
export const scopeOf = ({ method, path }: Operation): string => {
  const template = templateOf(path());
  const [first, second] = document.paths[template]?.[method.toLowerCase()]?.security ?? [];
  expect([first, second]).toEqual([{ apiKey: [expect.any(String)] }, { oauth2: first?.apiKey }]);
  return first?.apiKey?.[0] ?? '';
};

export const named = (id: Operation['id']): Operation => {
  const operation = operations.find((candidate) => candidate.id === id);
  if (operation === undefined) throw new Error(`no operation ${id}`);
  return operation;
};
