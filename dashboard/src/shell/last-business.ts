const memory = 'last-business';

/** Id of the business that was shown last in this browser. */
export function lastBusinessId(): string | undefined {
  try {
    return localStorage.getItem(memory) ?? undefined;
  } catch {
    // Storage may be forbidden.
    return undefined;
  }
}

export function rememberBusiness(id: string): void {
  try {
    localStorage.setItem(memory, id);
  } catch {
    // As above: then every visit begins at the first business.
  }
}
