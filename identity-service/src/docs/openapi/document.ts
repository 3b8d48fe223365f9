import { info, tags } from './info.ts';
import { authorize } from './operations/authorize.ts';
import { currentBusiness } from './operations/current-business.ts';
import { metadata } from './operations/metadata.ts';
import { order } from './operations/order.ts';
import { orders } from './operations/orders.ts';
import { revoke } from './operations/revoke.ts';
import { token } from './operations/token.ts';
import { parameters } from './parameters.ts';
import { responses } from './responses.ts';
import { businessSchemas } from './schemas/business.ts';
import { errorSchemas } from './schemas/errors.ts';
import { oauthSchemas } from './schemas/oauth.ts';
import { orderSchemas } from './schemas/order.ts';
import { orderInputSchemas } from './schemas/order-input.ts';
import { securitySchemes } from './security-schemes.ts';

/** The public API as OpenAPI 3.1. @param publicUrl origin under which everybody knows the platform */
export function openApiDocument(publicUrl: string) {
  return {
    openapi: '3.1.0',
    info: info(publicUrl),
    servers: [{ url: publicUrl }],
    externalDocs: { url: `${publicUrl}/docs`, description: 'Guides' },
    tags,
    paths: {
      '/v2/businesses/me': currentBusiness,
      '/v2/order': orders,
      '/v2/order/{id}': order,
      '/oauth/authorize': authorize,
      '/v2/oauth/token': token,
      '/v2/oauth/revoke': revoke,
      '/.well-known/oauth-authorization-server': metadata,
    },
    components: {
      schemas: {
        ...businessSchemas,
        ...orderSchemas,
        ...orderInputSchemas,
        ...oauthSchemas,
        ...errorSchemas,
      },
      responses: responses(publicUrl),
      parameters,
      securitySchemes: securitySchemes(publicUrl),
    },
  };
}
