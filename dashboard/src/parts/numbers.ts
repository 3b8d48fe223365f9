const format = new Intl.NumberFormat('en');

/** 9,870 */
export const count = (value: number): string => format.format(value);

/** "1 call", "2 calls" */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

/** A request of the public API; the one that tells whose key it is where no other path is given. */
export function curlWith(key: string, path = '/v2/businesses/me'): string {
  return `curl ${location.origin}${path} \\\n  -H 'Authorization: Bearer ${key}'`;
}
