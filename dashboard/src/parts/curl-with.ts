/** A request of the public API; the one that tells whose key it is where no other path is given. */
export function curlWith(key: string, path = '/v2/businesses/me'): string {
  return `curl ${location.origin}${path} \\\n  -H 'Authorization: Bearer ${key}'`;
}
