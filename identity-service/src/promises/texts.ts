import type { PromiseName } from './check.ts';

/** Words about a promise, for the public. */
interface PromiseText {
  readonly title: string;
  /** A sentence. */
  readonly promise: string;
  /** Meaning of the figures. */
  readonly measured: string;
}

/** Words of the page and of the document. */
export const promiseTexts: Readonly<Record<PromiseName, PromiseText>> = {
  revocation: {
    title: 'A revoked key stops working at once',
    promise:
      'No request that starts after the response to a deletion or rotation is accepted, at any gateway; in the rare case that this response says that gateways have not confirmed it yet, after 30 seconds.',
    measured: 'The time from that response until every gateway refused the key.',
  },
  rolling_hour: {
    title: 'No hour admits more than the limit',
    promise:
      'All gateways together admit no more requests of a key than its limit, in any 60 minutes, whenever they begin.',
    measured: 'The most requests that 60 minutes have admitted, in percent of the limit of a key.',
  },
  refresh: {
    title: 'A refresh token works once',
    promise:
      'A refresh returns new tokens that every gateway accepts at once; a refresh token that is used again is refused, and its connection ends.',
    measured:
      'Refreshes, repeats of a used refresh token, and the time from the refusal of a repeat until every gateway refused the connection.',
  },
  delivery: {
    title: 'A change is delivered to its webhook',
    promise: 'The event of each change reaches its webhook in time, with a valid signature.',
    measured: 'The time from the request that makes a change until its event has been received and verified.',
  },
};
