/** A comma-separated list of scopes; identity-service knows which ones there are. */
export function parseScopes(text: string): string[] {
  return text
    .split(',')
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '');
}
