import { counted, entityTag } from '../headers.ts';
import { json, parameter, response, schema } from '../refs.ts';
import { businessExample } from '../schemas/business.ts';
import { bearerWith } from '../security-schemes.ts';
import { refusals } from './refusals.ts';

export const currentBusiness = {
  get: {
    operationId: 'getCurrentBusiness',
    tags: ['Business'],
    summary: 'The business of the credential',
    description:
      'The recommended first request: it says which business a key or token speaks for. Map its `id` to your own user. ' +
      'A banned business can still read it. Needs the scope `business:read`.',
    security: bearerWith('business:read'),
    parameters: [parameter('IfNoneMatch')],
    responses: {
      200: {
        description: 'The record of the business.',
        headers: { ...counted(), ...entityTag },
        content: json(schema('Business'), businessExample),
      },
      ...refusals,
      304: response('NotModified'),
      404: response('BusinessNotFound'),
      412: response('PreconditionFailed'),
    },
  },
};
