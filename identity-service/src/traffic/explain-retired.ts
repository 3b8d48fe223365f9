import { type Explanation, isToken, type RequestWithClient, remedyFor } from './explanation.ts';

const utc = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

/** Explains a request with a string that was rotated, deleted or revoked. */
export function explainRetired(request: RequestWithClient): Explanation {
  const { record, client } = request;
  if (isToken(request)) {
    return {
      title: 'The access token was revoked',
      problem: `The token no longer works${sinceOf(request)}: it was revoked, or its connection was ended.`,
      advice: 'The app has to refresh its token or, after the end of its connection, be connected again.',
      anchor: 'invalid_access_token',
      remedy: remedyFor(client),
    };
  }
  const exists = client?.exists === true;
  return {
    title: exists ? 'An old string of the key' : 'The key was deleted',
    problem: exists
      ? `The key was rotated, and this string of it no longer works${sinceOf(request)}.`
      : `The key was deleted, and its string no longer works${sinceOf(request)}.`,
    advice: `Give the program at ${record.clientIp} ${exists ? 'the key’s present string' : 'another key'}. If the address is not yours, someone else has the string. It gives no access.`,
    anchor: 'invalid_api_key',
    remedy: remedyFor(client),
  };
}

/** Since when it does not work; of several strings of a key the record does not say which one it was. */
function sinceOf({ ends: [last, earlier] = [] }: RequestWithClient): string {
  if (last === undefined) return '';
  return ` since ${utc.format(last.at)} UTC${earlier === undefined ? '' : ' or an earlier rotation'}`;
}
