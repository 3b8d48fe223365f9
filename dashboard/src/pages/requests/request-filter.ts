import { type DayRange, momentsOf, readDay } from '../../parts/local-day.ts';
import { type Reason, reasons } from './reasons.ts';

/** What of the requests is asked for. Undefined asks for everything. */
export interface RequestFilter extends DayRange {
  readonly status: '4xx' | '5xx' | undefined;
  readonly reason: Reason | undefined;
  /** Id of an API key or a connection. */
  readonly credential: string | undefined;
}

/** The filter in a page's address; what makes no sense there is left out. */
export function readFilter(parameters: URLSearchParams): RequestFilter {
  const status = parameters.get('status');
  const credential = parameters.get('credential') ?? '';
  return {
    status: status === '4xx' || status === '5xx' ? status : undefined,
    reason: reasons.find(({ reason }) => reason === parameters.get('reason'))?.reason,
    credential: /^[\w-]{1,64}$/.test(credential) ? credential : undefined,
    from: readDay(parameters.get('from')),
    to: readDay(parameters.get('to')),
  };
}

/** The parameters that `readFilter` reads. */
export function writeFilter(filter: RequestFilter): URLSearchParams {
  return new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** The same as the API is asked for it. */
export function queryOf({ status, reason, credential, ...days }: RequestFilter) {
  return {
    ...(status !== undefined && { status }),
    ...(reason !== undefined && { reason }),
    ...(credential !== undefined && { credential }),
    ...momentsOf(days),
  };
}

/** Whether anything is left out. */
export function isNarrowed(filter: RequestFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}
