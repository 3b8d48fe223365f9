import { common } from '../headers.ts';
import { response, schema } from '../refs.ts';

export const metadata = {
  get: {
    operationId: 'getAuthorizationServerMetadata',
    tags: ['OAuth'],
    summary: 'Where the OAuth endpoints are',
    description: 'For client libraries (RFC 8414). May be kept for five minutes.',
    security: [],
    responses: {
      200: {
        description: 'What the authorization server supports.',
        headers: common,
        content: { 'application/json': { schema: schema('ServerMetadata') } },
      },
      400: response('BadRequest'),
      502: response('BadGateway'),
      503: response('Unavailable'),
      504: response('GatewayTimeout'),
      default: response('Other'),
    },
  },
};
