import type { Operation } from '@platform/service-kit/api/api.ts';

/**
 * Headers of every response of an operation that will end (RFC 9745, RFC 8594); undefined for others. Dates are midnight
 * UTC, such as 2027-01-01.
 */
export function deprecationHeaders({
  definition,
  document,
}: Operation): Readonly<Record<string, string>> | undefined {
  const { operationId, tags, 'x-deprecated-since': since, 'x-sunset': sunset } = definition;
  if (since === undefined || sunset === undefined) return undefined;
  // Its place in the reference.
  const group = encodeURIComponent(tags[0] ?? document.content.info.title);
  return {
    Deprecation: `@${Date.parse(since) / 1_000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: `</docs/reference#/${group}/${operationId}>; rel="deprecation"; type="text/html"`,
  };
}
