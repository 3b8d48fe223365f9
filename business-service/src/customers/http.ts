import { z } from 'zod';
import { emailField } from '../orders/order.ts';
import { authorOf } from '../passport.ts';
import type { Endpoint } from '../web/endpoint.ts';
import { readQuery } from '../web/input.ts';
import { type CustomerDeps, eraseCustomer } from './operations.ts';

const parameters = z.strictObject({ email: emailField });

/** Seconds after which an incomplete erasure may be continued. */
const retryAfter = '1';

/** DELETE /customers */
export function deleteCustomer(deps: CustomerDeps): Endpoint {
  return async (passport, req) => {
    const { email } = readQuery(parameters, req);
    const { isComplete, ...body } = await eraseCustomer(deps, authorOf(passport), email);
    return isComplete ? { status: 200, body } : { status: 202, body, headers: { 'Retry-After': retryAfter } };
  };
}
