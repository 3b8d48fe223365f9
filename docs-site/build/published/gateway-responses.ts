import { type OpenApi, type Part, resolved } from './open-api.ts';

/** Responses of the gateway itself, as components of the platform's document. */
const errors = {
  '400': 'BadRequest',
  '401': 'Unauthorized',
  '403': 'Forbidden',
  '429': 'TooManyRequests',
  '502': 'BadGateway',
  '503': 'Unavailable',
  '504': 'GatewayTimeout',
  default: 'Other',
};

/** Headers that the gateway adds to the responses of an upstream. */
const headers = [
  ...['X-Request-Id', 'RateLimit', 'RateLimit-Policy'],
  ...['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
].map((name) => [name, name] as const);

const references = (kind: string, entries: readonly (readonly [string, string])[]) =>
  Object.fromEntries(entries.map(([key, name]) => [key, { $ref: `#/components/${kind}/${name}` }]));

const addedResponses = references('responses', Object.entries(errors));

const addedHeaders = references('headers', headers);

/** The responses of an upstream, with the headers of the gateway, and the gateway's own where the upstream describes none. */
export function withGatewayResponses(
  written: Readonly<Record<string, Part>>,
  components: OpenApi['components'],
): Readonly<Record<string, Part>> {
  const own = Object.entries(written).map(([status, response]) => {
    if (!/^[23]/.test(status)) return [status, response];
    const { headers = {}, ...rest } = resolved(response, components);
    return [status, { ...rest, headers: { ...addedHeaders, ...(headers as Part) } }];
  });
  return { ...addedResponses, ...Object.fromEntries(own) };
}
