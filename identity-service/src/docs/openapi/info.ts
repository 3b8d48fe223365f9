/** What the whole document is about. Links are absolute: the document is read elsewhere as well. */
export function info(publicUrl: string) {
  return {
    title: 'Business API',
    version: '2.0',
    summary: 'Read and change the data of a business.',
    description: `Programs reach a business by an API key that the business has made, or with an access token that it has
approved by OAuth 2.0. Both are sent as \`Authorization: Bearer …\`.

- Every answer carries \`X-Request-Id\`. Name it when you ask us about a request.
- Every request that was authorized counts against the hourly limit of its key or application, and its answer says in
  \`RateLimit\` and \`X-RateLimit-*\` what is left, whatever its status: [Limits](${publicUrl}/docs/limits).
- Errors have one form, \`{"error", "status", "code"}\`; those of the OAuth endpoints have the form of RFC 6749:
  [Errors](${publicUrl}/docs/errors).
- GET serves HEAD, too. What is not understood (a field, a parameter, a type) is refused, never ignored.

New here? [Make a first call](${publicUrl}/docs/first-call).`,
  };
}

export const tags = [
  { name: 'Business', description: 'The business that a credential speaks for.' },
  {
    name: 'Orders',
    description: 'Orders of the business. Amounts are in minor units: 450 in EUR is €4.50.',
  },
  {
    name: 'OAuth',
    description: 'How an application gets and gives back access. Any OAuth 2.0 client library speaks this.',
  },
];
