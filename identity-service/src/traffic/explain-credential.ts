import type { Refusal } from '@platform/protos/vocabulary';
import type { Explanation, Remedy, RequestWithClient } from './explanation.ts';
import type { Client } from './usage.ts';

const keyForm = '“Authorization: Bearer <your key>”';

/** Explanations of refusals, each for one request. */
export type Explanations = Readonly<Partial<Record<Refusal, (request: RequestWithClient) => Explanation>>>;

/** Refusals that are about the credential. */
export const credentialRefusals = {
  missing: () => ({
    title: 'No credential was sent',
    problem: 'The request has no Authorization header.',
    advice: `Send ${keyForm} with every request. A redirect or a proxy may have taken it away.`,
    anchor: 'invalid_api_key',
    remedy: { page: 'api_keys' },
  }),
  malformed: () => ({
    title: 'Not a key or token',
    problem: 'What was sent does not have the form of one of our keys or tokens.',
    advice: `Check that it was copied whole, without quotes or blanks, and that the header reads ${keyForm}.`,
    anchor: 'invalid_api_key',
    remedy: { page: 'api_keys' },
  }),
  unknown: () => ({
    title: 'The key or token does not exist',
    problem:
      'It has the right form, but is none of ours: it was deleted, rotated or revoked, or comes from elsewhere.',
    advice:
      'Compare its last four characters with your keys. If it was an access token, the app has to refresh it or be connected again.',
    anchor: 'invalid_api_key',
    remedy: { page: 'api_keys' },
  }),
  unknown_limited: () => ({
    title: 'Too many unknown credentials',
    problem: 'Many keys or tokens that do not exist came from this address, and this was one more of them.',
    advice:
      'Find the program that uses a key which was deleted or rotated, and give it a good one: good ones are let in from the same address.',
    anchor: 'rate_limit_exceeded',
    remedy: { page: 'api_keys' },
  }),
  access_ended: () => ({
    title: 'Access ended during the response',
    problem:
      'The credential was revoked, or expired, while the response was streamed; the connection was closed.',
    advice: 'Nothing more is sent to it. Use another credential, or connect the app again.',
    anchor: 'invalid_access_token',
    remedy: { page: 'api_keys' },
  }),
  expired: (request) => (isToken(request) ? expiredToken : expiredKey(request)),
  business_frozen: () => ({
    title: 'API access is frozen',
    problem: 'An owner had frozen the API access of this business: no key and no app got in.',
    advice: 'An owner can lift the freeze. Keys and tokens then work as before.',
    anchor: 'business_frozen',
    remedy: { page: 'business' },
  }),
  ip_not_allowed: addressRefused,
  insufficient_scope: scopeMissing,
  rate_limited: ({ client, record }) => ({
    title: 'Rate limit reached',
    problem: `${isToken({ client, record }) ? 'The app' : 'The key'} had used up its rolling hour. This request was not counted.`,
    advice:
      'Wait as long as Retry-After says, and spread requests over the hour. Separate keys have separate limits.',
    anchor: 'rate_limit_exceeded',
    remedy: remedyFor(client),
  }),
} as const satisfies Explanations;

const expiredToken: Explanation = {
  title: 'The access token has expired',
  problem: 'The hour of the access token was over. This is the usual course of things.',
  advice: 'The app refreshes it and repeats the request.',
  anchor: 'access_token_expired',
};

function expiredKey({ client }: RequestWithClient): Explanation {
  return {
    title: 'The key has expired',
    problem: 'The key is genuine, and the expiration that was set when it was made has passed.',
    advice: 'An expiration cannot be changed: make a second key with the same settings and put it in use.',
    anchor: 'api_key_expired',
    remedy: remedyFor(client),
  };
}

function addressRefused({ record, client }: RequestWithClient): Explanation {
  const whoseTurn = client?.isOwn
    ? 'Add the address to the whitelist if it is one of your servers.'
    : 'Whoever makes the app has to add the address to its whitelist.';
  return {
    title: 'The address is not allowed',
    problem: `The address ${record.clientIp} is not on the IP whitelist of the app.`,
    advice: `${whoseTurn} If nobody knows it, somebody else may have the token: disconnect the app.`,
    anchor: 'ip_not_allowed',
    remedy: remedyFor(client),
  };
}

function scopeMissing({ record, client }: RequestWithClient): Explanation {
  const scope = record.requiredScope ?? 'that the path needs';
  const explanation = {
    title: `Scope ${scope} is missing`,
    anchor: 'insufficient_scope',
    remedy: remedyFor(client),
  };
  if (isToken({ record, client })) {
    return {
      ...explanation,
      problem: `The app was not given the scope ${scope}.`,
      advice: 'The app has to ask for it in a new authorization, and an owner to approve it.',
    };
  }
  return {
    ...explanation,
    problem: `The key does not have the scope ${scope}.`,
    advice: 'Add the scope to the key, or use a key that has it.',
  };
}

function isToken({ record }: RequestWithClient): boolean {
  return record.credentialType === 'access_token';
}

function remedyFor(client: Client | undefined): Remedy | undefined {
  if (client === undefined) return undefined;
  if (client.kind === 'api_key') {
    return client.exists ? { page: 'api_key', id: client.id } : { page: 'api_keys' };
  }
  return client.isOwn ? { page: 'application', id: client.id } : { page: 'connected' };
}
