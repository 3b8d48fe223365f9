/** A part of the API that will end. Dates are midnight UTC, such as 2027-01-01. */
export interface Deprecation {
  /** Since when it is deprecated. */
  readonly since: string;
  /** When it ends. */
  readonly sunset: string;
  /** Anchor of the announcement in docs-site/guides/versions.md. */
  readonly anchor: string;
}

/** Headers of every response of a deprecated part (RFC 9745, RFC 8594). */
export function deprecationHeaders({ since, sunset, anchor }: Deprecation): Readonly<Record<string, string>> {
  return {
    Deprecation: `@${Date.parse(since) / 1_000}`,
    Sunset: new Date(sunset).toUTCString(),
    Link: `</docs/versions#${anchor}>; rel="deprecation"; type="text/html"`,
  };
}
