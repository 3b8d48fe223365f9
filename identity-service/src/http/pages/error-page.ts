import { html } from './html.ts';
import type { Page } from './layout.ts';

const titles: Readonly<Record<number, string>> = {
  400: 'That did not work',
  403: 'This page is out of date',
  404: 'Page not found',
  405: 'Not possible here',
  413: 'Too much at once',
  415: 'That request cannot be read',
  429: 'Too many attempts',
  500: 'Something went wrong',
  503: 'Not available right now',
};

const texts: Readonly<Record<number, string>> = {
  404: 'There is nothing at this address.',
  500: 'The fault is ours. Please try again; if it stays, tell us the time at which it happened.',
};

/** A page that says what is wrong, and the way on. */
export function errorPage(status: number, text = texts[status] ?? 'The request was refused.'): Page {
  return {
    title: titles[status] ?? 'Not possible',
    body: html`<p>${text}</p>
<p class="below"><a href="/account">Go to your account</a></p>`,
  };
}
