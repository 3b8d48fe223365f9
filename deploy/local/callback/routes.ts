import { readFileSync } from 'node:fs';
import { beginFlow } from './begin-flow.ts';
import { callApi } from './call-api.ts';
import type { DemoClient } from './demo-client.ts';
import { renderPage } from './page.ts';
import { refresh } from './refresh.ts';
import { revoke } from './revoke.ts';
import { takeCallback } from './take-callback.ts';
import type { Visit, Visits } from './visit.ts';

/** What a route is given. */
export interface Visitor {
  readonly client: DemoClient;
  readonly visits: Visits;
  /** Value of the cookie. */
  readonly visitId: string | undefined;
  readonly query: URLSearchParams;
}

/** What a route answers. */
export type Reply =
  | { readonly status: number; readonly type: string; readonly body: string }
  /** 303. @property visitId a new value for the cookie */
  | { readonly redirect: string; readonly visitId?: string };

type Route = (visitor: Visitor) => Promise<Reply> | Reply;

const stylesheet = readFileSync(new URL('./style.css', import.meta.url), 'utf8');

/** Every route, by method and path. */
export const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['GET /', ({ client, visits, visitId }) => showPage(client, visits.find(visitId))],
  ['GET /style.css', () => ({ status: 200, type: 'text/css', body: stylesheet })],
  ['POST /start', start],
  ['GET /callback', callback],
  ['POST /call', acting(callApi)],
  ['POST /refresh', acting(refresh)],
  ['POST /revoke', acting(revoke)],
]);

function showPage(client: DemoClient, visit: Visit | undefined, status = 200): Reply {
  return { status, type: 'text/html', body: renderPage(client, visit) };
}

function start({ client, visits, visitId }: Visitor): Reply {
  const { visit, authorizationUrl } = beginFlow(client);
  return { redirect: authorizationUrl, visitId: visits.begin(visit, visitId) };
}

/** Leads on to the page, so that neither the address bar nor the history keeps a code that was taken. */
async function callback({ client, visits, visitId, query }: Visitor): Promise<Reply> {
  const visit = visits.find(visitId) ?? { steps: [] };
  const foreign = await takeCallback(client, visit, query);
  return foreign === undefined ? { redirect: '/' } : showPage(client, { steps: [foreign] }, 400);
}

/** A button of the page. */
function acting(act: (client: DemoClient, visit: Visit) => Promise<void>): Route {
  return async ({ client, visits, visitId }) => {
    const visit = visits.find(visitId);
    if (visit === undefined) return { redirect: '/' };
    await act(client, visit);
    return { redirect: latestStep(visit) };
  };
}

const latestStep = ({ steps }: Visit) => `/#step-${steps.length}`;
