import { type Html, html } from '../pages/html.ts';

/** A word to somebody whom an invitation has led here; nothing for everybody else. */
export function invitationHint(continueTo: string, text: string): Html | undefined {
  return continueTo.startsWith('/dashboard/join?') ? html`<p class="notice">${text}</p>` : undefined;
}
