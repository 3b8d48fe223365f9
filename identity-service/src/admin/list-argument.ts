/** A comma-separated list, as of scopes or addresses; identity-service knows what may stand in it. */
export function parseList(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
