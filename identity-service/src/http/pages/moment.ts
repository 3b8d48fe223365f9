import { type Html, html } from './html.ts';

/** A moment as people read it, in UTC. @param unixMs milliseconds since 1970 */
export function momentHtml(unixMs: number): Html {
  const iso = new Date(unixMs).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}
