import type { Router } from 'express';
import { formatTime } from '../platform/text.ts';
import { exactRouter } from '../web/app.ts';
import { type Html, html } from '../web/html.ts';
import { handle, type Page } from '../web/pages.ts';
import type { PromiseName } from './check.ts';
import { type Figures, type KeptPromises, type PromiseRecord, shownDays } from './record.ts';
import { promiseTexts } from './texts.ts';

/** Milliseconds without a check after which the page says that nothing is measured. */
const silentMs = 10 * 60_000;

/** GET /promises: how every promise was kept, for everyone. */
export function promisesPage(readPromises: () => Promise<KeptPromises>): Router {
  const router = exactRouter();
  router.get(
    '/promises',
    handle(async () => ({ page: pageOf(await readPromises()) })),
  );
  return router;
}

function pageOf(kept: KeptPromises): Page {
  return {
    title: 'How we keep our promises',
    body: html`${verdict(kept)}
<p>A program of ours uses this platform as a customer does, with credentials of a business of its own. Every minute it tries each promise at
every gateway. These are its measurements of the last ${shownDays} days; nothing in them comes from a customer. Days are those of UTC.</p>
<p class="soft">p50: half of the measurements took no longer; p99: 99 of 100. A bar is a day: tall and red if a request broke the promise, empty if
nothing was measured.</p>
${kept.promises.map(promiseHtml)}
${violationsHtml(kept)}
<section>
  <h2>Check it yourself</h2>
  <p>The same figures are in <a href="/promises.json">promises.json</a>, signed: a copy proves what was shown.
  <a href="/docs/promises#verify">How to verify the signature</a>.</p>
</section>`,
  };
}

/** A broken promise comes first, whatever else there is to say. */
function verdict({ now, lastAt, violationCount: count, promises }: KeptPromises): Html {
  const checks = promises.reduce((sum, { all }) => sum + (all?.checks ?? 0), 0);
  const seen =
    lastAt !== undefined &&
    html` The last of ${checks.toLocaleString('en')} checks ended at ${time(lastAt)}.`;
  if (count > 0) {
    const broken =
      count === 1 ? '1 request broke a promise' : `${count.toLocaleString('en')} requests broke a promise`;
    return html`<p class="notice bad">${broken}. <a href="#violations">See when and where</a>.${seen}</p>`;
  }
  if (lastAt === undefined) return html`<p class="notice wait">Nothing was measured in these days.</p>`;
  if (now - lastAt > silentMs)
    return html`<p class="notice wait">Nothing is measured at the moment.${seen}</p>`;
  return html`<p class="notice good">Every promise was kept, as far as it was measured.${seen}</p>`;
}

const time = (at: number) => {
  const iso = formatTime(at);
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
};

/** A column of a promise's table. */
interface Column {
  readonly title: string;
  readonly text: (figures: Figures) => string;
}

const count = (number: number) => number.toLocaleString('en');
const ms = (number: number | undefined) => (number === undefined ? '–' : `${count(number)} ms`);

const times: readonly Column[] = [
  { title: 'p50', text: ({ p50Ms }) => ms(p50Ms) },
  { title: 'p99', text: ({ p99Ms }) => ms(p99Ms) },
  { title: 'Worst', text: ({ slowestMs }) => ms(slowestMs) },
];
const checks: Column = { title: 'Checks', text: (figures) => count(figures.checks) };
const violations: Column = { title: 'Violations', text: (figures) => count(figures.violations) };
const share: Column = {
  title: 'Highest share',
  text: ({ highestPercent }) => (highestPercent === undefined ? '–' : `${count(highestPercent)} %`),
};
const refreshes: Column = { title: 'Refreshes', text: (figures) => count(figures.checks) };
const repeats: Column = { title: 'Repeats', text: ({ timed }) => count(timed) };

const columns: Readonly<Record<PromiseName, readonly Column[]>> = {
  revocation: [violations, checks, ...times],
  rolling_hour: [violations, checks, share],
  refresh: [violations, refreshes, repeats, ...times],
  delivery: [violations, checks, ...times],
};

function promiseHtml({ name, all, days }: PromiseRecord): Html {
  const { title, promise, measured } = promiseTexts[name];
  return html`<section class="promise">
  <h2 id="${name}">${title}</h2>
  <p>${promise}</p>
  <p class="days" aria-hidden="true">${days.toReversed().map(({ figures }) => html`<i class="${stateOf(figures)}"></i>`)}</p>
  ${table(name, `${title}: ${days.length} days`, [{ day: `${days.length} days`, figures: all }])}
  <details>
    <summary>Day by day</summary>
    <p class="soft">${measured}</p>
    ${table(name, `${title}: day by day`, days)}
  </details>
</section>`;
}

function stateOf(figures: Figures | undefined): string {
  if (figures === undefined) return 'none';
  return figures.violations === 0 ? 'kept' : 'broken';
}

function table(name: PromiseName, label: string, rows: PromiseRecord['days']): Html {
  const shown = columns[name];
  const cells = (figures: Figures | undefined) =>
    figures === undefined
      ? html`<td colspan="${shown.length}" class="soft">not measured</td>`
      : shown.map(({ text }) => html`<td>${text(figures)}</td>`);
  return html`<div class="figures" role="region" aria-label="${label}" tabindex="0"><table>
    <thead><tr><th scope="col">Days</th>${shown.map(({ title }) => html`<th scope="col">${title}</th>`)}</tr></thead>
    <tbody>${rows.map(({ day, figures }) => html`<tr><th scope="row">${day}</th>${cells(figures)}</tr>`)}</tbody>
  </table></div>`;
}

function violationsHtml({ violations: found, violationCount }: KeptPromises): Html | undefined {
  if (violationCount === 0) return undefined;
  return html`<section>
  <h2 id="violations">Requests that broke a promise</h2>
  ${found.length < violationCount && html`<p>The newest ${found.length} of ${count(violationCount)}.</p>`}
  <ul class="rows">${found.map(
    ({ at, promise, gateway, requestId, what }) => html`<li>
    <div><p><strong>${promiseTexts[promise].title}</strong></p>
    <p>${time(at)}: gateway ${gateway} ${what}. Request <code>${requestId}</code>.</p></div>
  </li>`,
  )}</ul>
</section>`;
}
