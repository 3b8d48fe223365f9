// Names that the services share: each is an enum of the .proto files, in lower case and without its prefix.
import { InvalidInput as invalidInputEnum } from '../generated/identity/v1/InvalidInput.ts';
import { Refusal as refusalEnum } from '../generated/identity/v1/Refusal.ts';

/** REFUSAL_RATE_LIMITED is rate_limited. */
type RefusalName<Value> = Value extends 'REFUSAL_UNSPECIFIED'
  ? never
  : Value extends `REFUSAL_${infer Name}`
    ? Lowercase<Name>
    : never;

/** INVALID_INPUT_QUERY is invalid_query. */
type InvalidReasonName<Value> = Value extends 'INVALID_INPUT_UNSPECIFIED'
  ? never
  : Value extends `INVALID_INPUT_${infer Part}`
    ? `invalid_${Lowercase<Part>}`
    : never;

/** Why the gateway responded itself, as records, logs and metrics name it. */
export type Refusal = RefusalName<keyof typeof refusalEnum>;

/** Why a request was not accepted, as records name it. */
export type InvalidReason = InvalidReasonName<keyof typeof invalidInputEnum>;

const refusalNames: ReadonlySet<string> = new Set(namesOf(refusalEnum, 'REFUSAL_'));

const invalidReasonNames: ReadonlySet<string> = new Set(
  namesOf(invalidInputEnum, 'INVALID_INPUT_').map((part) => `invalid_${part}`),
);

/** Every refusal, in the order of the enum. */
export const refusals: readonly Refusal[] = [...refusalNames].filter(isRefusal);

/** Every invalid part of a request, in the order of the enum. */
export const invalidReasons: readonly InvalidReason[] = [...invalidReasonNames].filter(isInvalidReason);

/** Scope of the resource that an event is about. */
export type EventScope = 'business:read' | 'orders:read';

/**
 * Who receives an event beside the business itself: applications with a scope, the application that the event is about,
 * or none (`business`).
 */
export type EventAudience = EventScope | 'application' | 'business';

const eventAudiences: Readonly<Record<string, EventAudience>> = {
  order: 'orders:read',
  business: 'business:read',
  application: 'application',
  api_key: 'business',
};

/** The audience of a type of event: `orders:read` for order.paid. Undefined for an unknown resource. */
export function eventAudience(type: string): EventAudience | undefined {
  const [resource = '', ...rest] = type.split('.');
  if (rest.length === 0 || !Object.hasOwn(eventAudiences, resource)) return undefined;
  return eventAudiences[resource];
}

export function isEventScope(audience: EventAudience | undefined): audience is EventScope {
  return audience !== undefined && audience !== 'application' && audience !== 'business';
}

export function isRefusal(candidate: string): candidate is Refusal {
  return refusalNames.has(candidate);
}

export function isInvalidReason(candidate: string): candidate is InvalidReason {
  return invalidReasonNames.has(candidate);
}

/** A part of a request that was not accepted. */
export interface InvalidInput {
  readonly reason: InvalidReason;
  /** Name of the parameter, field or header, in printable ASCII; empty where the response names none. */
  readonly field: string;
}

/** Response header for the gateway, which records its value, `invalid_query limit`, and relays it to no client. */
export const invalidInputHeader = 'x-internal-invalid-input';

/** Characters of a field's name that are recorded. */
export const maxInvalidField = 100;

const invalidInputShape = new RegExp(`^(\\w+)(?: ([\\x20-\\x7e]{1,${maxInvalidField}}))?$`);

/** The value of `invalidInputHeader`; undefined for any other text. */
export function parseInvalidInput(value: string): InvalidInput | undefined {
  const [, reason = '', field = ''] = invalidInputShape.exec(value) ?? [];
  return isInvalidReason(reason) ? { reason, field } : undefined;
}

function namesOf(values: Readonly<Record<string, string>>, prefix: string): string[] {
  return Object.keys(values)
    .filter((value) => value !== `${prefix}UNSPECIFIED`)
    .map((value) => value.slice(prefix.length).toLowerCase());
}
