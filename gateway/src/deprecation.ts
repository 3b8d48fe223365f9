import type { OperationObject } from '@platform/service-kit/api/schema.ts';

/**
 * Headers of every response of an operation that will end (RFC 9745, RFC 8594); undefined for others. Dates are midnight
 * UTC, such as 2027-01-01.
 */
export function deprecationHeaders({
  operationId,
  tags: [tag = ''],
  'x-deprecated-since': since,
  'x-sunset': sunset,
}: OperationObject): Readonly<Record<string, string>> | undefined {
  if (since === undefined || sunset === undefined) return undefined;
  return {
    Deprecation: `@${Date.parse(since) / 1_000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: `</docs/reference#/${encodeURIComponent(tag)}/${operationId}>; rel="deprecation"; type="text/html"`,
  };
}
