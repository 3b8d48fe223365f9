import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Actor, Json, JsonObject } from '../../platform/actor.ts';

/** Actions that change nothing. */
export const readingActions = [
  'console.searched',
  'console.viewed',
  'api_keys.viewed',
  'audit_log.viewed',
  'request.viewed',
] as const;

/** OperatorEvent of an operator, for the log of operators. Never holds a secret. */
export interface OperatorEvent {
  /** An operator. */
  readonly actor: Actor;
  /** `subject.verb`; the action of the audit event, where there is one. */
  readonly action: string;
  /** Undefined for an action about no business. */
  readonly businessId?: number;
  readonly subjectId: string;
  readonly details: JsonObject;
  /** The event in the audit log of the business, with its time in milliseconds since 1970; undefined without one. */
  readonly auditEvent?: { readonly id: string; readonly at: number };
  /** Details for this log alone. The people of the business do not see them. */
  readonly operatorDetails?: JsonObject | undefined;
}

/** An event as the one text that is hashed and stored. */
export function contentOf({
  actor,
  operatorDetails,
  businessId,
  auditEvent,
  ...event
}: OperatorEvent): string {
  const { id, clientIp, requestId, via = 'shell' } = actor;
  return canonicalJson({
    ...event,
    operator: id,
    via,
    requestId,
    clientIp,
    businessId,
    auditEventId: auditEvent?.id,
    auditedAt: auditEvent?.at,
    operatorDetails,
  });
}

/** The event of an operator who reads the audit log of a business. @param cursor of the page; undefined for the first */
export function auditLogRead(actor: Actor, businessId: number, cursor: string | undefined): OperatorEvent {
  const action = 'audit_log.viewed';
  return { actor, action, businessId, subjectId: String(businessId), details: { cursor } };
}

/** The event of an operator who reads the API keys of a business. @param text of the search; empty for none */
export function apiKeysRead(actor: Actor, businessId: number, text: string): OperatorEvent {
  return { actor, action: 'api_keys.viewed', businessId, subjectId: String(businessId), details: { text } };
}

/** The event of an operator who reads a request of a business, or of an unknown one. */
export function requestRead(
  actor: Actor,
  { id, businessId }: { readonly id: string; readonly businessId: number | undefined },
): OperatorEvent {
  const ofBusiness = businessId === undefined ? {} : { businessId };
  return { actor, action: 'request.viewed', ...ofBusiness, subjectId: id, details: {} };
}

const storedEvent = z.object({
  action: z.string(),
  operator: z.string(),
  via: z.string(),
  subjectId: z.string(),
  businessId: z.int().optional(),
  clientIp: z.string().optional(),
  details: z.record(z.string(), z.unknown()),
  operatorDetails: z.record(z.string(), z.unknown()).optional(),
});

/** A stored event. @throws Error for a text that is none */
export function readOperatorEvent(content: string): z.output<typeof storedEvent> {
  return storedEvent.parse(JSON.parse(content));
}

/** JSON with sorted keys, without blanks and undefined fields: equal values are equal texts. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  const texts = fields.flatMap(([name, field]) =>
    field === undefined ? [] : [`${JSON.stringify(name)}:${canonicalJson(field)}`],
  );
  return `{${texts.join(',')}}`;
}

const named = z.object({ auditEventId: z.string().regex(/^\d{1,18}$/) });

/** Identifier of the audit event that an operator event names; undefined without one, and for a text that is none. */
export function auditEventIdOf(content: string): string | undefined {
  try {
    return named.safeParse(JSON.parse(content)).data?.auditEventId;
  } catch {
    return undefined;
  }
}

/** The audit event that an operator event is about, as it is stored now. */
export interface StoredAuditEvent {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actorKind: string;
  readonly clientIp: string | undefined;
  readonly requestId: string;
  readonly businessId: number;
  readonly actorId: string;
  readonly action: string;
  readonly subjectId: string;
  readonly details: Json;
}

/** One link of the chain with its event. */
export interface Link {
  /** 1 for the first. */
  readonly position: number;
  readonly eventId: string;
  /** Hexadecimal SHA-256. */
  readonly hash: string;
  /** Undefined when the event is gone. */
  readonly event: { readonly at: number; readonly content: string } | undefined;
  /** Undefined when it is gone, or there never was one. */
  readonly auditEvent: StoredAuditEvent | undefined;
}

/** How far a chain was found unbroken. */
export interface Checked {
  /** Links from the first one on. */
  readonly count: number;
  /** Hash of the last of them; empty for none. */
  readonly hash: string;
}

/** The mismatch, as a sentence; undefined when the link follows the one before. */
export function breachOf(before: Checked, link: Link): string | undefined {
  const { position, eventId, event } = link;
  if (position !== before.count + 1) return `Row ${before.count + 1} is missing: ${position} follows.`;
  const row = `Row ${position} (event ${eventId})`;
  if (event === undefined) return `${row}: its event is missing.`;
  if (hashAfter(before.hash, position, event) !== link.hash)
    return `${row}: its content does not fit its hash.`;
  return auditBreachOf(row, event.content, link.auditEvent);
}

/** The same as the trigger of `operator_events` computes it. */
export function hashAfter(
  hash: string,
  position: number,
  { at, content }: { readonly at: number; readonly content: string },
): string {
  const hashed = createHash('sha256').update(Buffer.from(hash, 'hex'));
  return hashed.update(`${position}\n${at}\n${content}`).digest('hex');
}

function auditBreachOf(
  row: string,
  content: string,
  stored: StoredAuditEvent | undefined,
): string | undefined {
  const {
    auditEventId,
    auditedAt,
    businessId,
    action,
    operator,
    via,
    clientIp,
    requestId,
    subjectId,
    details,
  } = JSON.parse(content);
  if (auditEventId === undefined) return undefined;
  const event = `${row}: audit event ${auditEventId} of business ${businessId}`;
  if (stored === undefined) return `${event} is missing.`;
  const recorded: Json = {
    at: auditedAt,
    businessId,
    actorKind: 'operator',
    actorId: operator,
    // The audit log of the business omits the client IP of operators in the console.
    clientIp: via === 'console' ? undefined : clientIp,
    requestId,
    action,
    subjectId,
    details,
  };
  return canonicalJson(recorded) === canonicalJson({ ...stored }) ? undefined : `${event} was changed.`;
}

/** The log as a check reads it. */
interface ReadLog {
  links(after: number, limit: number): Promise<readonly Link[]>;
  findUnlinked(): Promise<string | undefined>;
  findUnexplained(): Promise<{ readonly id: string; readonly businessId: number } | undefined>;
}

interface CheckedPart extends Checked {
  /** The log ends there. */
  readonly complete: boolean;
  /** The first row that does not fit; empty for none. */
  readonly breach: string;
}

/** Checks up to `limit` rows after those that were checked before. */
export async function checkLog(before: Checked, limit: number, log: ReadLog): Promise<CheckedPart> {
  const links = await log.links(before.count, limit);
  let checked = before;
  for (const link of links) {
    const breach = breachOf(checked, link);
    if (breach !== undefined) return { ...checked, complete: false, breach };
    checked = { count: link.position, hash: link.hash };
  }
  const complete = links.length < limit;
  return { ...checked, complete, breach: complete ? await breachOutside(log) : '' };
}

/** Breach that is in no row, as a sentence; empty for none. */
async function breachOutside(log: ReadLog): Promise<string> {
  const unlinked = await log.findUnlinked();
  if (unlinked !== undefined) return `Event ${unlinked} is in no row.`;
  const unexplained = await log.findUnexplained();
  if (unexplained === undefined) return '';
  const { id, businessId } = unexplained;
  return `Audit event ${id} of business ${businessId} is of an operator, and no row explains it.`;
}
