let token = '';

/** For the header of everything that changes something. */
export const currentCsrfToken = (): string => token;

/** Takes the token of the session as it is now; another login has another. */
export function keepCsrfToken(next: string): void {
  token = next;
}
