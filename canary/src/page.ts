import { keptViolations, type Report, type Times } from './results.ts';

/** The report as a page, for people. It needs no script and loads nothing. */
export function promisesPage(report: Report): string {
  const { rollingHour, violations, lastRoundAt, rounds, failedRounds, lastFailure, since } = report;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="60"><title>Promises, measured live</title><style>${style}</style></head>
<body><main><h1>Promises, measured live</h1><p class="verdict">${verdictOf(report)}</p>
<p>${rounds} rounds since ${escapeHtml(since)}, the last one ${escapeHtml(lastRoundAt ?? 'not yet')}. ${failedRounds} could not be measured${
    lastFailure === null ? '.' : `; the last of them: ${escapeHtml(lastFailure)}`
  }</p>
<h2>Revocation is immediate</h2>
<p>Time from the response to the end of a key to the first refusal, of each gateway, over the last day.</p>
${timesTable(report.revocation)}
<h2>No rolling hour admits more than the limit</h2>
<p>${rollingHour.admitted} of ${rollingHour.limit} requests of the last hour were admitted of one key, at all gateways.</p>
<h2>Events are delivered, signed</h2>
<p>Time from a change at a gateway to its verified delivery, over the last day. None without an endpoint.</p>
${timesTable(report.webhook)}
<h2>A refresh token works once</h2>
<p>Each round refreshes. Time from the refusal of a used refresh token to the first refusal of the access token, of each gateway,
over the last 1,440 of them. None without an application.</p>
${timesTable(report.refresh)}
<h2>Violations</h2>
<p>The newest ${keptViolations} at most.</p>
${table(
  ['Time', 'Promise', 'Gateway', 'Request', 'It'],
  violations.map(({ at, promise, replica, requestId, what }) => [at, promise, replica, requestId, what]),
)}</main></body></html>
`;
}

/** A round that failed in part may have found violations: they come first. */
function verdictOf({ rounds, violationCount: count }: Report): string {
  if (count > 0) return `${count} ${count === 1 ? 'request' : 'requests'} broke a promise.`;
  return rounds === 0 ? 'No round has measured every promise yet.' : 'Every promise was kept.';
}

const timesTable = (times: Times) =>
  table(
    ['Gateway', 'p50', 'p99'],
    times.map(({ replica, p50Ms, p99Ms }) => [replica, `${p50Ms} ms`, `${p99Ms} ms`]),
  );

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '<p>None.</p>';
  const cells = (tag: 'th' | 'td', texts: readonly string[]) =>
    `<tr>${texts.map((text) => `<${tag}>${escapeHtml(text)}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${cells('th', head)}</thead><tbody>${rows.map((row) => cells('td', row)).join('')}</tbody></table>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 3rem auto; padding: 0 1rem; }
.verdict { font-size: 1.25rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid #8884; overflow-wrap: anywhere; }
`;
