import { type Html, html } from '../pages/html.ts';

const joinPage = '/dashboard/join?';

/** A word to somebody whom an invitation has led here; nothing for everybody else. */
export function invitationHint(continueTo: string, text: string): Html | undefined {
  return continueTo.startsWith(joinPage) ? html`<p class="notice">${text}</p>` : undefined;
}

/** The token of the invitation that leads on to `continueTo`. */
export function invitationToken(continueTo: string): string | undefined {
  if (!continueTo.startsWith(joinPage)) return undefined;
  return new URLSearchParams(continueTo.slice(joinPage.length)).get('token') ?? undefined;
}
