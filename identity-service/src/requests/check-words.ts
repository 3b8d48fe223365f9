import type { Check } from './decision.ts';
import type { RequestRecord } from './request-record.ts';

/** What each check is about, as a statement that holds when it is passed. */
const words: Readonly<Record<Check, (record: RequestRecord) => string>> = {
  request: () => 'The request can be read in one way only',
  credential: () => 'A credential was sent',
  format: () => 'It has the form of a key or token',
  found: () => 'It exists',
  expired: () => 'It has not expired',
  frozen: () => 'API access of the business is not frozen',
  address: ({ credentialType, clientIp }) =>
    credentialType === 'access_token'
      ? `The address ${clientIp} is on the app’s IP whitelist`
      : 'The address is allowed: keys work from any',
  scope: ({ requiredScope }) =>
    requiredScope === undefined ? 'No scope is needed here' : `It has the scope ${requiredScope}`,
  limit: () => 'The limit of the rolling hour is not used up',
  route: ({ method }) => `The path exists, and takes ${method}`,
  upstream: () => 'The service behind the gateway did what was asked',
};

/** A check as a statement, for the person who reads the decision. */
export function checkWords(check: Check, record: RequestRecord): string {
  return words[check](record);
}
