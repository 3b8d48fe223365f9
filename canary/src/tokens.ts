import { z } from 'zod';
import type { Received, Replica } from './gateways.ts';

/** The canary's application. */
export interface Client {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
}

/** Tokens of the Grant. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

const tokenResponse = z
  .object({ access_token: z.string(), refresh_token: z.string() })
  .transform((body): Tokens => ({ accessToken: body.access_token, refreshToken: body.refresh_token }));

const errorResponse = z.object({ error: z.string() });

/** A request to the token endpoint. @throws when no response comes in time */
export function requestTokens(
  replica: Replica,
  { clientId, clientSecret }: Client,
  fields: Readonly<Record<string, string>>,
): Promise<Received> {
  const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...fields });
  return replica.send({ method: 'POST', path: '/v2/oauth/token', body });
}

/** The tokens of a response; undefined for a refusal. */
export function readTokens({ status, text }: Received): Tokens | undefined {
  return status === 200 ? tokenResponse.parse(JSON.parse(text)) : undefined;
}

/** Whether the token of a request was refused. */
export function isInvalidGrant({ status, text }: Received): boolean {
  return status === 400 && errorResponse.safeParse(JSON.parse(text)).data?.error === 'invalid_grant';
}
