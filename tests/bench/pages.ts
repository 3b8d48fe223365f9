// Time of the dashboard's pages of a business with a million requests in its log and as many rows of usage, through a gateway:
// `npm run bench -- pages`, or `-- pages clickhouse` with the log in ClickHouse. The figures of docs/capacity.md.
import { startClickHouse } from '../harness/clickhouse.ts';
import { signUpVerified, type TestPerson } from '../harness/people.ts';
import { startPlatform } from '../harness/platform.ts';
import { beginRun } from '../harness/run.ts';
import { addClickHouseLog, addRows, firstKey } from './page-rows.ts';
import { spreadOf } from './spread.ts';
import { align } from './table.ts';

/** Loads of each page. */
const rounds = 5;

const hourMs = 3_600_000;

/** Span of an API's query that ends with this hour. */
function hours(count: number): string {
  const to = Date.now() - (Date.now() % hourMs) + hourMs;
  return `from=${new Date(to - count * hourMs).toISOString()}&to=${new Date(to).toISOString()}`;
}

/** Requests for the fields of the filter of requests. */
const filterOptions = ['/api-keys', '/connections', '/applications', '/old-strings'];

const requests = (query: string) => [`/requests?${query}`, ...filterOptions];

/** Paths below the business that a page loads, by its name. @param requestId of one in the log */
function pagesOf(requestId: string): Readonly<Record<string, readonly string[]>> {
  const key = `/api-keys/${firstKey}`;
  const middle = `to=${new Date(Date.now() - 15 * 24 * hourMs).toISOString()}`;
  return {
    'Overview, 24 hours': [`/overview?${hours(25)}`],
    'Overview, 90 days': [`/overview?${hours(90 * 24)}`],
    Requests: requests(''),
    'Requests before the last 15 days': requests(middle),
    'Requests with status 404': requests('status=404'),
    'Requests of a key': requests(`credential=${firstKey}`),
    'Requests from an address': requests('address=192.0.2.7'),
    'Requests with a text in each path': requests('text=ord_'),
    'Requests with a text that none has': requests('text=nowhere'),
    'Requests, failures of 24 hours': [`/request-groups?${hours(24)}`, ...filterOptions],
    'Requests, failures of 30 days': [`/request-groups?${hours(30 * 24)}`, ...filterOptions],
    'Requests, durations of 24 hours': [`/request-durations?${hours(24)}`, ...filterOptions],
    'Requests, durations of 30 days': [`/request-durations?${hours(30 * 24)}`, ...filterOptions],
    'Requests, CSV of 10,000': ['/requests.csv'],
    'A request': [`/requests/${requestId}`],
    'API keys': ['/api-keys'],
    'API keys by last use': ['/api-keys?sort=last_used'],
    'A key, 90 days': [key, `${key}/blast-radius`, `${key}/usage?${hours(90 * 24)}`],
  };
}

/** Milliseconds until all requests of a page have their responses, and the statuses that are not 200. */
async function load({ browser, businessId }: TestPerson, paths: readonly string[]) {
  const startedAt = performance.now();
  const get = (path: string) => browser.send('GET', `/dashboard-api/businesses/${businessId}${path}`);
  const responses = await Promise.all(paths.map(get));
  const others = responses.map(({ status }) => status).filter((status) => status !== 200);
  return { ms: performance.now() - startedAt, others };
}

/** A row of the table, with the median in front to sort by. */
async function measure(person: TestPerson, name: string, paths: readonly string[]) {
  const loads = [];
  for (let round = 0; round < rounds; round++) loads.push(await load(person, paths));
  const { median, most } = spreadOf(loads.map(({ ms }) => ms));
  const others = [...new Set(loads.flatMap((each) => each.others))].join(', ');
  return { median, row: [name, median.toFixed(0), most.toFixed(0), others] };
}

async function newestRequest({ browser, businessId }: TestPerson): Promise<string> {
  const response = await browser.send('GET', `/dashboard-api/businesses/${businessId}/requests`);
  const id = /"id":"([^"]+)"/.exec(response.text)?.[1];
  if (id === undefined) throw new Error(`No request is listed:\n${response.text}`);
  return id;
}

const run = await beginRun();
const clickHouse = process.argv[3] === 'clickhouse' ? await startClickHouse() : undefined;
const url = await clickHouse?.createDatabase();
const platform = await startPlatform({ identityEnv: url === undefined ? {} : { REQUEST_LOG_URL: url } });
try {
  const person = await signUpVerified(platform);
  await addRows(platform.sql, person.businessId, { withLog: url === undefined });
  if (url !== undefined) await addClickHouseLog(url, person.businessId);
  const results = [];
  for (const [name, paths] of Object.entries(pagesOf(await newestRequest(person)))) {
    results.push(await measure(person, name, paths));
  }
  const sorted = results.toSorted((a, b) => b.median - a.median).map(({ row }) => row);
  process.stdout.write(`${align([['', 'ms, median of 5', 'worst', 'statuses but 200'], ...sorted])}\n`);
} finally {
  await platform.close();
  await clickHouse?.close();
  await run.end();
}
