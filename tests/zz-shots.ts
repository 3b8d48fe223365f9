import { mkdirSync } from 'node:fs';
const root = '/work/wt/ui/tests';
const { startPlatform } = await import(`${root}/harness/platform.ts`);
const { beginRun } = await import(`${root}/harness/run.ts`);
const { startCallbackApplication } = await import(`${root}/browser/callback-application.ts`);
const { launchChromium, openWindow } = await import(`${root}/browser/chromium.ts`);
const { requireChromium } = await import(`${root}/browser/require-chromium.ts`);
const { enterDashboard } = await import(`${root}/browser/tour/enter-dashboard.ts`);
const { makeTraffic } = await import(`${root}/browser/tour/make-traffic.ts`);
process.env.CHROMIUM = requireChromium(process.env);
const dir = '/tmp/ui-shots';
mkdirSync(dir, { recursive: true });
const run = await beginRun();
const [platform, chromium, shop] = await Promise.all([startPlatform({ webhooks: 1 }), launchChromium(), startCallbackApplication()]);
const { page } = await openWindow(chromium, { baseURL: platform.publicUrl, viewport: { width: 1280, height: 800 } });
const { owner } = await enterDashboard(platform, page);
const businessId = owner.businessId;
const { refusedId, shop: key } = await makeTraffic(platform, businessId);
const app = await platform.createApplication({ businessId, name: 'Parcel Post' });
await platform.sql(
  `INSERT INTO request_log (id, at, business_id, method, path, route, status, refusal, credential_type, credential_id, limit_id, client_ip, duration_ms, response_bytes, user_agent)
   SELECT gen_random_uuid(), now() - n * interval '7 seconds', $1, m, p, r, s, f, t, c, l, ip, d, 80, 'shop/1.0' FROM (VALUES
   (1,'PATCH','/v2/order/ord_7f3aB9cD0eFgHiJkLmNo','/v2/order/{id}',400,'invalid_body','restricted_key',$2::text,$2::text,'2001:db8:1234:5678:9abc:def0:1234:5678',12.5::real),
   (2,'GET','/oauth/authorize','/oauth/authorize',303,'approval_needs_page','client',$3::text,$4::text,'203.0.113.224',22),
   (3,'GET','/oauth/authorize','/oauth/authorize',200,NULL,'client',$3,$4,'203.0.113.224',1022),
   (4,'POST','/v2/oauth/token','/v2/oauth/token',400,'refresh_repeated','client',$3,$4,'203.0.113.224',122),
   (5,'POST','/v2/oauth/token','/v2/oauth/token',403,'plain_http','client',$3,$4,'203.0.113.224',1.2),
   (6,'GET','/v2/order','/v2/order',504,'upstream_timeout','restricted_key',$2,$2,'203.0.113.224',15001),
   (7,'GET','/v2/' || repeat('x-', 90),'none',404,'no_route','restricted_key',$2,$2,'203.0.113.224',1),
   (8,'GET','/v2/order','/v2/order',200,NULL,'restricted_key',$2,$2,'2001:db8::7',8)
   ) AS v (n,m,p,r,s,f,t,c,l,ip,d)`,
  [businessId, key.id, app.clientId, app.id],
);
const list = `/dashboard/${businessId}/settings/developers/requests`;
async function look(name: string) {
  for (const [variant, scheme, width, height] of [['light','light',1280,800],['dark','dark',1280,800],['phone','light',390,844],['wide','light',1600,900],['1210','light',1210,800]] as const) {
    if ((variant === 'wide' || variant === '1210') && !name.startsWith('list')) continue;
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height });
    await page.evaluate('scrollTo(0, 0)');
    await new Promise((r) => setTimeout(r, 300));
    if (name === 'list') console.log(variant, await page.evaluate(`JSON.stringify({w: document.documentElement.scrollWidth, h: [...new Set([...document.querySelectorAll('tr[data-row]')].map(r => r.getBoundingClientRect().height))], cut: [...document.querySelectorAll('tr[data-row] td, thead th')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 40)), clamped: [...document.querySelectorAll('tr[data-row] td > div')].filter(e => e.scrollHeight > e.clientHeight + 1).map(e => e.textContent.slice(0, 60))})`));
    await page.screenshot({ path: `${dir}/${name}-${variant}.png`, fullPage: name !== 'list-long' });
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}
await page.goto(list); await page.getByText('Scope orders:write is missing').first().waitFor(); await look('list');
await page.getByRole('combobox', { name: 'Reason' }).click(); await page.getByRole('option').first().waitFor();
console.log((await page.getByRole('option').allTextContents()).join(' | '));
await page.screenshot({ path: `${dir}/reasons.png` });
await page.goto(`${list}?view=groups`); await page.getByRole('table').waitFor(); await look('groups');
await page.goto(`${list}?view=durations`); await page.getByRole('table').waitFor(); await look('durations');
await page.goto(`${list}/${refusedId}`); await page.getByRole('heading', { name: 'Checks' }).waitFor(); await look('request');
await page.goto(`${list}/0a0a0a0a-0000-4000-8000-000000000000`); await page.getByText('Possible reasons').waitFor(); await look('missing');
const r = await platform.request(0, 'GET', '/v2/orders', { key: key.keyString });
const rid = String(r.headers['x-request-id']);
await new Promise((x) => setTimeout(x, 5000));
await page.goto(`${list}/${rid}`); 
await page.getByLabel('API key or access token').fill(key.keyString); await page.getByRole('button', { name: 'Send' }).click();
await page.getByText('This page shows the new request now.').waitFor({ timeout: 30000 }); await look('retried');
const ids = await platform.sql("SELECT id, status FROM request_log WHERE business_id = $1 AND path = '/oauth/authorize'", [businessId]);
for (const { id, status } of ids) { await page.goto(`${list}/${id}`); await page.getByRole('heading', { name: 'Checks' }).waitFor(); await page.screenshot({ path: `${dir}/authorize-${status}.png`, fullPage: true }); }
await page.goto(`/dashboard/${businessId}`); await page.getByText('Warehouse scanner').first().waitFor(); await look('overview');
await page.route('**/dashboard-api/businesses/*/requests?*', (route: any) => route.fulfill({ status: 409, contentType: 'application/json', body: JSON.stringify({ error: 'There are too many requests to search at once: choose a shorter time, or more filters.', status: 'Conflict', code: 409, reason: 'search_too_slow' }) }));
await page.goto(`${list}?text=zzz`); await page.getByRole('alert').waitFor(); await page.screenshot({ path: `${dir}/slow.png`, fullPage: true });
await chromium.close(); await shop.close(); await platform.close(); await run.end();
