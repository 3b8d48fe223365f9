import type { Router } from 'express';
import { exactRouter } from './app.ts';
import { type Html, html } from './html.ts';
import { handle, type Page } from './pages.ts';

const part = (title: string, text: string): Html => html`<section>
  <h2>${title}</h2>
  <p>${text}</p>
</section>`;

const frontPage = (showsPromises: boolean): Page => ({
  title: 'One API for your business',
  body: html`<p>Read and create the orders of your business from your own software, or let an app do it for you.</p>
<div class="actions">
  <a class="button" href="/signup">Sign up</a>
  <a class="button second" href="/login">Log in</a>
  <a class="button second" href="/docs">Documentation</a>
</div>
${part('API keys', 'Create a key with only the permissions that it needs. Delete it, and it stops working at once.')}
${part('Apps', 'Connect an app through OAuth 2.0 without sharing a password. You see what it may do, and end it when you like.')}
${part('Webhooks', 'Receive each change as a signed event, and read the ones that you missed.')}
${showsPromises && html`<p class="below"><a href="/promises">How we keep our promises</a></p>`}`,
});

interface FrontPageOptions {
  /** URL of another front page. */
  readonly elsewhere: string | undefined;
  /** Whether there is a page of the promises. */
  readonly showsPromises: boolean;
}

/** GET /: describes the platform, with links to log in and sign up. Redirects logged-in people to the dashboard. */
export function frontPageRoutes({ elsewhere, showsPromises }: FrontPageOptions): Router {
  const page = frontPage(showsPromises);
  const router = exactRouter();
  router.get(
    '/',
    handle((_req, res) => {
      if (elsewhere !== undefined) return { redirect: elsewhere };
      return res.locals.session.personId === undefined ? { page } : { redirect: '/dashboard' };
    }),
  );
  return router;
}
