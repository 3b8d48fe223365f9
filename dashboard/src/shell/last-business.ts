const memory = 'last-business';

/** Id of the business that was shown last in this browser. */
export function lastBusinessId(): number | undefined {
  try {
    return Number(localStorage.getItem(memory)) || undefined;
  } catch {
    // Storage may be forbidden.
    return undefined;
  }
}

export function rememberBusiness(id: number): void {
  try {
    localStorage.setItem(memory, String(id));
  } catch {
    // As above: then every visit begins at the first business.
  }
}
