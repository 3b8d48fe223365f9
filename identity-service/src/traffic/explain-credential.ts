import type { Refusal } from '@platform/protos/vocabulary';
import { explainRetired } from './explain-retired.ts';
import { type Explanation, isToken, type RequestWithClient, remedyFor } from './explanation.ts';

const keyForm = '“Authorization: Bearer <your key>”';

/** Explanations by refusal. */
export type Explanations = Readonly<Partial<Record<Refusal, (request: RequestWithClient) => Explanation>>>;

/** Explanations of refusals of the credential. */
export const credentialRefusals = {
  missing: () => ({
    title: 'No credential was sent',
    problem: 'The request has no Authorization header.',
    advice: `Send ${keyForm} with every request. A redirect or a proxy may have removed it.`,
    anchor: 'invalid_api_key',
    remedy: { page: 'api_keys' },
  }),
  malformed: () => ({
    title: 'Not a key or token',
    problem: 'The credential does not have the format of a key or token.',
    advice: `Check that it was copied completely, without quotes or spaces, and that the header is ${keyForm}.`,
    anchor: 'invalid_api_key',
    remedy: { page: 'api_keys' },
  }),
  unknown: (request) => (request.client === undefined ? unknownString : explainRetired(request)),
  unknown_limited: () => ({
    title: 'Too many unknown credentials',
    problem: 'This address sent many keys or tokens that do not exist, and this request was one of them.',
    advice:
      'Find the program that uses a deleted or rotated key, and give it a valid one. Valid keys still work from this address.',
    anchor: 'rate_limit_exceeded',
    remedy: { page: 'api_keys' },
  }),
  plain_http: sentOverHttp,
  access_ended: () => ({
    title: 'Access ended during the response',
    problem:
      'The credential was revoked or expired while the response was streamed, so the connection was closed.',
    advice: 'Use another credential, or connect the app again.',
    anchor: 'invalid_access_token',
    remedy: { page: 'api_keys' },
  }),
  expired: (request) => (isToken(request) ? expiredToken : expiredKey(request)),
  business_frozen: () => ({
    title: 'API access is frozen',
    problem: 'The API access of this business is frozen, so requests of all keys and apps are refused.',
    advice: 'An owner can lift the freeze. Keys and tokens then work again.',
    anchor: 'business_frozen',
    remedy: { page: 'business' },
  }),
  key_frozen: ({ client }) => ({
    title: 'The key is frozen',
    problem: 'This key is frozen, so its requests are refused. Other keys of the business work.',
    advice:
      'The page of the key says who froze it and why. Once the freeze is lifted, the same key works again; rotating it does not lift it.',
    anchor: 'key_frozen',
    remedy: remedyFor(client),
  }),
  application_suspended: ({ client }) => ({
    title: 'The app is suspended',
    problem: 'The app may not act for any business at the moment. Its connection and tokens are kept.',
    advice: client?.isOwn
      ? 'The page of the app says who suspended it and why. Once it is resumed, the same tokens work again.'
      : 'Ask the publisher of the app. Once it is resumed, the same tokens work again; connecting again does not help.',
    anchor: 'application_suspended',
    remedy: remedyFor(client),
  }),
  connection_suspended: ({ client }) => ({
    title: 'The connection is suspended',
    problem: 'An owner of this business suspended the connection with the app. Its tokens are kept.',
    advice: 'An owner can resume it under Connected apps. The same tokens then work again.',
    anchor: 'connection_suspended',
    remedy: client === undefined ? undefined : { page: 'connected' },
  }),
  ip_not_allowed: addressRefused,
  insufficient_scope: scopeMissing,
  rate_limited: ({ client, record }) => ({
    title: 'Rate limit reached',
    problem: `${isToken({ client, record }) ? 'The app' : 'The key'} had reached its limit for the rolling hour. This request was not counted.`,
    advice:
      'Wait for the time in Retry-After, and spread requests over the hour. Each key has its own limit.',
    anchor: 'rate_limit_exceeded',
    remedy: remedyFor(client),
  }),
} as const satisfies Explanations;

const unknownString: Explanation = {
  title: 'The key or token does not exist',
  problem:
    'It has a valid format but does not exist: it was deleted, rotated or revoked, or belongs to another system.',
  advice:
    'Compare its last four characters with those of your keys. If it is an access token, refresh it or connect the app again.',
  anchor: 'invalid_api_key',
  remedy: { page: 'api_keys' },
};

const expiredToken: Explanation = {
  title: 'The access token has expired',
  problem: 'Access tokens are valid for an hour; this is expected.',
  advice: 'The app should refresh the token and repeat the request.',
  anchor: 'access_token_expired',
};

function expiredKey({ client }: RequestWithClient): Explanation {
  return {
    title: 'The key has expired',
    problem: 'The key is past the expiration that was set when it was created.',
    advice: 'An expiration cannot be changed. Create a new key with the same settings and use it instead.',
    anchor: 'api_key_expired',
    remedy: remedyFor(client),
  };
}

/** Explanation of a request over http. Its record has a credential only if that is valid. */
function sentOverHttp({ record, client }: RequestWithClient): Explanation {
  const anchor = 'plain_http';
  if (record.credentialId === undefined) {
    return {
      title: 'Sent over http',
      problem: 'The request went over http, so others could read its key, token or client secret on the way.',
      advice: 'Use https, and rotate the key, or revoke the token, that was sent.',
      anchor,
    };
  }
  const remedy = remedyFor(client);
  if (isToken({ record, client })) {
    return {
      title: 'Revoke this token: it crossed the network unencrypted',
      problem: 'The app sent its access token over http, so others could read it on the way.',
      advice: 'The app has to use https and revoke the token. Disconnecting the app ends the token at once.',
      anchor,
      remedy,
    };
  }
  if (record.credentialType === 'client') {
    return {
      title: 'Rotate this client secret: it crossed the network unencrypted',
      problem:
        'The client secret was sent over http. The request was refused, but others could read the secret on the way.',
      advice: 'Rotate the client secret, and give the new one to the app only when it uses https.',
      anchor,
      remedy,
    };
  }
  return {
    title: 'Rotate this key: it crossed the network unencrypted',
    problem: 'The key was sent over http. The request was refused, but others could read the key on the way.',
    advice: 'Rotate the key, and give the new one to the program only when it uses https.',
    anchor,
    remedy,
  };
}

function addressRefused({ record, client }: RequestWithClient): Explanation {
  const title = 'The address is not allowed';
  if (!isToken({ record, client })) {
    return {
      title,
      problem: `The address ${record.clientIp} is not on the IP whitelist of the key.`,
      advice:
        'Add the address to the whitelist of the key if it is one of your servers. If the address is unknown, the key may be stolen: rotate it.',
      anchor: 'api_key_ip_not_allowed',
      remedy: remedyFor(client),
    };
  }
  const advice = client?.isOwn
    ? 'Add the address to the whitelist if it is one of your servers.'
    : 'The developer of the app has to add the address to its whitelist.';
  return {
    title,
    problem: `The address ${record.clientIp} is not on the IP whitelist of the app.`,
    advice: `${advice} If the address is unknown, the token may be stolen: disconnect the app.`,
    anchor: 'ip_not_allowed',
    remedy: remedyFor(client),
  };
}

function scopeMissing({ record, client }: RequestWithClient): Explanation {
  const { requiredScope, requiredScope: scope = 'that the path requires' } = record;
  const explanation = {
    title: requiredScope === undefined ? 'A scope is missing' : `Scope ${requiredScope} is missing`,
    anchor: 'insufficient_scope',
    remedy: remedyFor(client),
  };
  if (isToken({ record, client })) {
    return {
      ...explanation,
      problem: `The app does not have the scope ${scope}.`,
      advice: 'The app has to request it in a new authorization, which an owner has to approve.',
    };
  }
  return {
    ...explanation,
    problem: `The key does not have the scope ${scope}.`,
    advice: 'Add the scope to the key, or use a key that has it.',
  };
}
