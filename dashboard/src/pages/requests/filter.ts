import { endpoints } from './filter-options.ts';
import { parseTime, type TimeFilter, toTimeRange } from './time-filter.ts';

/** Filter of requests; undefined matches everything. */
export interface RequestFilter extends TimeFilter {
  /** `2xx`, `4xx`, `5xx`, or one status. */
  readonly status: string | undefined;
  readonly reason: string | undefined;
  /** Id of an API key, a connection or an own app. */
  readonly credential: string | undefined;
  readonly method: string | undefined;
  readonly route: string | undefined;
  /** IP address. */
  readonly address: string | undefined;
  /** Part of the path, the User-Agent or the error. */
  readonly text: string | undefined;
}

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** An IP address as requests have it, in its shortest form; undefined for any other text. */
export function readAddress(text: string): string | undefined {
  if (ipv4.test(text)) return text;
  const url = `http://[${text}]`;
  return /^[\da-f:.]+$/i.test(text) && URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : undefined;
}

/** The shape of each parameter of the URL; others are ignored. */
const shapes = {
  status: /^(?:[245]xx|[1-5]\d\d)$/,
  reason: /^\w{1,64}$/,
  credential: /^[\w-]{1,64}$/,
  method: /^[A-Z-]{1,32}$/,
  route: /^(?:none|\/.{0,199})$/,
  text: /\S/,
} as const;

/** The filter in URL parameters; invalid ones are ignored. */
export function parseFilter(parameters: URLSearchParams): RequestFilter {
  const read = (name: keyof typeof shapes) => {
    const value = parameters.get(name) ?? '';
    return shapes[name].test(value) ? value.slice(0, 200) : undefined;
  };
  return {
    status: read('status'),
    reason: read('reason'),
    credential: read('credential'),
    method: read('method'),
    route: read('route'),
    address: readAddress(parameters.get('address') ?? ''),
    text: read('text'),
    ...parseTime(parameters),
  };
}

/** The fields of a filter that are set. */
function setOf(filter: Partial<RequestFilter>): Record<string, string> {
  const set = Object.entries(filter).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return Object.fromEntries(set);
}

/** URL parameters for `parseFilter`. */
export function serializeFilter(filter: Partial<RequestFilter>): URLSearchParams {
  return new URLSearchParams(setOf(filter));
}

/** Query parameters of the API. @param now ms since 1970 */
export function toQuery({ span, from, to, ...conditions }: RequestFilter, now: number) {
  return { ...setOf(conditions), ...toTimeRange({ span, from, to }, now) };
}

/** Whether any filter is set. */
export function isFiltered(filter: RequestFilter): boolean {
  return Object.keys(setOf(filter)).length > 0;
}

/** Path of the list with a filter. */
export function requestsPath(filter: Partial<RequestFilter>): string {
  return `/settings/developers/requests?${serializeFilter(filter)}`;
}

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** The X-Request-Id in typed or pasted text, such as a whole header line. */
export function findRequestId(text: string): string | undefined {
  return uuid.exec(text)?.[0].toLowerCase();
}

/** Filter of a search for anything but the id of a request: an address, or else a text. */
export function readSearch(typed: string): Pick<RequestFilter, 'address' | 'text'> {
  const text = typed.trim().slice(0, 200);
  const address = readAddress(text);
  return { address, text: address === undefined && text !== '' ? text : undefined };
}

/** Index of the endpoint that the filter names. */
export function endpointIndex({ method, route }: Pick<RequestFilter, 'method' | 'route'>): number {
  return endpoints.findIndex((each) => each.method === method && each.route === route);
}
