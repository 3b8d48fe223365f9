/** An event as business-service stores it, with the event before it in the list that it is part of. */
export interface EventEnvelope {
  /** `evt_…` */
  readonly id: string;
  /** Such as `order.paid`. */
  readonly type: string;
  readonly createdAt: Date;
  /** Public unique identifier of the business. */
  readonly business: string;
  /** Position among all events of the business: 1, 2, 3 and so on. */
  readonly sequence: number;
  /**
   * Sequence of the last earlier event of the business among the types that the reader asked for, or that the endpoint
   * is due; 0 where there is none.
   */
  readonly previous: number;
  /** The stored payload: JSON text, which goes into the body byte for byte. */
  readonly data: string;
}

/**
 * The body of an event, in deliveries and in the feed: the same bytes in both, for the same types. This order of the
 * fields is part of the API, since receivers keep and compare bodies.
 */
export function eventBody(event: EventEnvelope): string {
  const { id, type, createdAt, business, sequence, previous, data } = event;
  const head = { id, type, timestamp: createdAt.toISOString(), business, sequence, previous };
  return `${JSON.stringify(head).slice(0, -1)},${beforeData}${data}}`;
}

const beforeData = '"data":';

/** A body with other data; all else stays, byte for byte. No field before `data` has a text with a quotation mark. */
export function withData(body: string, change: (data: string) => string): string {
  const start = body.indexOf(beforeData) + beforeData.length;
  return `${body.slice(0, start)}${change(body.slice(start, -1))}}`;
}

/** Bytes that a body has at most. */
export const maxEventBytes = 20_000;

/** Bytes of a body without its data, and bytes by which a record grows when dates are set later. */
const reservedBytes = 1_000;

/** Bytes that a record may have as JSON when a client writes it, so that all its events stay below `maxEventBytes`. */
export const maxRecordBytes = maxEventBytes - reservedBytes;

/** Whether a record is small enough for its events. */
export function fitsEvent(record: object): boolean {
  return Buffer.byteLength(JSON.stringify(record)) <= maxRecordBytes;
}
