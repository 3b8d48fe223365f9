import { eventFeedService } from '@platform/protos/business';
import { eventAudience } from '@platform/protos/vocabulary';
import { type GrpcService, grpcService } from '@platform/service-kit/grpc/server.ts';
import { parseRequest } from '@platform/service-kit/input/validation.ts';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import { fitsEvent } from '@platform/service-kit/values/event-body.ts';
import { cutPage, decodeCursor, encodeCursor } from '@platform/service-kit/values/pagination.ts';
import { z } from 'zod';
import { businessId } from '../values.ts';
import { identityEventTypes } from './event.ts';
import type { FeedDeps } from './operations.ts';
import type { Head, HeadPosition, IdentityEvent } from './store.ts';

function headMessage({ changedAt, hasErasedEvents = false, ...head }: Head) {
  return { ...head, hasErasedEvents, changedAtUnixMs: changedAt.getTime() };
}

const tokenShape = /^h1:(\d{1,15}):(\d{1,10})$/;

function encodePageToken({ changedAt, businessId }: HeadPosition): string {
  return encodeCursor(`h1:${changedAt.getTime()}:${businessId}`);
}

function decodePageToken(token: string): HeadPosition {
  const [changedAt, businessId] = decodeCursor(token, tokenShape) ?? [];
  if (changedAt === undefined || businessId === undefined) {
    throw new AppError('invalid_argument', 'invalid_page_token', 'page_token: is not a token of ListHeads');
  }
  return { changedAt: new Date(Number(changedAt)), businessId: Number(businessId) };
}

const sequence = z.int().min(0);

const unixMs = z.int().min(0).max(8_640_000_000_000);

const listRequest = z.object({
  changedSinceUnixMs: unixMs,
  limit: z.int().min(1).max(1_000),
  pageToken: z.string(),
});

const newEvent = z
  .object({
    id: z.string().regex(/^evt_[0-9A-Za-z]{20}$/, 'must be the identifier of an event'),
    type: z.enum(identityEventTypes, 'is no type of identity-service'),
    data: z.string().transform(payloadOf),
    applicationId: z
      .string()
      .regex(/^(apl_[0-9a-f]{24})?$/, 'must be the identifier of an application, or empty'),
  })
  .refine(({ type, applicationId }) => (eventAudience(type) === 'application') === (applicationId !== ''), {
    path: ['applicationId'],
    error: 'belongs to application.* events alone',
  })
  .transform(
    ({ id, type, data: payload, applicationId }): IdentityEvent => ({
      id,
      type,
      payload,
      applicationId: applicationId || null,
    }),
  );

const appendRequest = z.object({ businessId, events: z.array(newEvent).min(1).max(100) });

const jsonObject = z.record(z.string(), z.json());

/** The object in JSON text. */
function payloadOf(text: string, context: z.RefinementCtx): IdentityEvent['payload'] {
  try {
    const payload = jsonObject.parse(JSON.parse(text));
    if (fitsEvent(payload)) return payload;
  } catch {
    // Reported below.
  }
  context.addIssue({ code: 'custom', message: 'must be JSON text of an object, below 19 kB' });
  return z.NEVER;
}

const readRequest = z.object({ businessId, afterSequence: sequence, limit: z.int().min(1).max(500) });

const authorRequest = z.object({ businessId, eventId: z.string().max(100) });

/** business.v1.EventFeedService over a store. */
export function createEventFeedService({ events, changes }: FeedDeps): GrpcService {
  return grpcService<typeof eventFeedService, 'WatchHeads'>(
    eventFeedService,
    {
      ListHeads: async (request) => {
        const { changedSinceUnixMs, limit, pageToken } = parseRequest(listRequest, request);
        // Business ids begin at 1, so this position includes all changes of that moment.
        const since = { changedAt: new Date(changedSinceUnixMs), businessId: 0 };
        const after = pageToken === '' ? since : decodePageToken(pageToken);
        const now = await events.clock();
        const { entries, last } = cutPage(await events.listHeads(after, limit + 1), limit);
        return {
          nowUnixMs: now.getTime(),
          heads: entries.map(headMessage),
          nextPageToken: last === undefined ? '' : encodePageToken(last),
        };
      },
      ReadEvents: async (request) => {
        const { businessId, afterSequence, limit } = parseRequest(readRequest, request);
        const {
          uniqueId,
          lastSequence,
          events: read,
        } = await events.readAll(businessId, afterSequence, limit);
        return {
          events: read.map(({ createdAt, applicationId, traceparent, ...event }) => ({
            ...event,
            uniqueId,
            applicationId: applicationId ?? '',
            traceparent: traceparent ?? '',
            createdAtUnixMs: createdAt.getTime(),
          })),
          lastSequence,
        };
      },
      AppendEvents: async (request) => {
        const { businessId, events: given } = parseRequest(appendRequest, request);
        await events.append(businessId, given);
        return {};
      },
      FindAuthor: async (request) => {
        const { businessId, eventId } = parseRequest(authorRequest, request);
        const author = await events.findAuthor(businessId, eventId);
        return { isKept: author !== undefined, credentialId: author ?? '' };
      },
    },
    {
      WatchHeads: async function* (_, { signal }) {
        for await (const businessIds of changes.subscribe(signal)) {
          yield* (await events.headsOf(businessIds)).map(headMessage);
        }
      },
    },
  );
}
