/** A request as it goes over the wire: its first line, Host, these lines, and what stands behind them. */
export function requestBytes(
  method: string,
  target: string,
  lines: readonly string[] = [],
  body = '',
): string {
  return [`${method} ${target} HTTP/1.1`, 'Host: api.test', ...lines, '', body].join('\r\n');
}

export const bearerLine = (keyString: string) => `Authorization: Bearer ${keyString}`;
