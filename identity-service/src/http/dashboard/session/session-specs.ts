import { z } from 'zod';
import { scopes } from '../../../authorization/scope.ts';
import { declare, noBody, none } from '../spec.ts';

export const scopeSchema = z.enum(scopes).meta({ id: 'Scope' });

const ownBusiness = z
  .object({
    id: z.string().describe('The identifier in addresses.'),
    name: z.string(),
    username: z.string(),
    role: z.enum(['owner', 'member']),
    verification: z.enum(['unverified', 'pending', 'verified', 'rejected']).nullable(),
    frozen: z.boolean(),
  })
  .describe(
    'A business of the person. Its name is empty and `verification` null while business-service does not answer.',
  )
  .meta({ id: 'OwnBusiness' });

const session = z
  .object({
    person: z.object({ id: z.string(), name: z.string(), email: z.string(), secondFactor: z.boolean() }),
    csrfToken: z.string().describe('For the header X-CSRF-Token.'),
    businesses: z.array(ownBusiness).describe('Oldest membership first.'),
  })
  .meta({ id: 'Session' });

export const getSession = declare({
  id: 'getSession',
  method: 'GET',
  path: '/session',
  summary: 'Who is logged in, and for which businesses.',
  query: none,
  body: noBody,
  answer: session,
});

export const listScopes = declare({
  id: 'listScopes',
  method: 'GET',
  path: '/scopes',
  summary: 'What keys and applications may be allowed to do, in plain words.',
  query: none,
  body: noBody,
  answer: z.object({
    scopes: z.array(z.object({ scope: scopeSchema, words: z.string() }).meta({ id: 'ScopeWords' })),
  }),
});

export const sessionSpecs = [getSession, listScopes];
