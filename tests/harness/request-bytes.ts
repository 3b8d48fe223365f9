/** Bytes of a request: its first line, Host, these lines, and a body. */
export function requestBytes(
  method: string,
  target: string,
  lines: readonly string[] = [],
  body = '',
): string {
  return [`${method} ${target} HTTP/1.1`, 'Host: api.test', ...lines, '', body].join('\r\n');
}

export const bearerLine = (keyString: string) => `Authorization: Bearer ${keyString}`;
