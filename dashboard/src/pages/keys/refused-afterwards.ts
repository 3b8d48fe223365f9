const list = new Intl.ListFormat('en', { type: 'disjunction' });

/** What taking scopes away does: "Requests that need orders:write will be refused (403)." */
export function refusedAfterwards(scopes: readonly string[]): string {
  return `Requests that need ${list.format(scopes)} will be refused (403).`;
}
