import type { ReplayDeps } from './replay.ts';
import type { Step } from './revocation.ts';

/** Rows of one page, after the last one of the page before. */
type ReadPage<Row> = (after: Row | undefined) => Promise<Row[]>;

async function* all<Row>(read: ReadPage<Row>): AsyncGenerator<Row> {
  for (let page = await read(undefined); page.length > 0; page = await read(page.at(-1))) yield* page;
}

const unknown = { id: 0, at: 0, businessId: 0, actorId: 'restore', details: {} };

/**
 * Steps for a restored database without a log of revocations: every business is frozen, and every Grant, password and
 * endpoint ends, so that people review everything before it works again.
 */
export async function* stepsForAll({ store, client }: ReplayDeps): AsyncGenerator<Step> {
  for await (const businessId of all(store.businessesAfter)) {
    const event = { ...unknown, action: 'business.frozen', businessId, subjectId: String(businessId) };
    yield { replay: 'freeze_business', event };
    yield* endpointSteps(client, businessId, '');
  }
  for await (const { businessId, id } of all(store.applicationsAfter)) {
    yield* endpointSteps(client, businessId, id);
  }
  for await (const subjectId of all(store.liveGrantsAfter)) {
    const event = { ...unknown, action: 'grant.ended', subjectId, details: { reason: 'revoked' } };
    yield { replay: 'end_grant', event };
  }
  for await (const subjectId of all(store.peopleAfter)) {
    yield { replay: 'end_password', event: { ...unknown, action: 'person.password_reset', subjectId } };
  }
}

async function* endpointSteps(
  client: ReplayDeps['client'],
  businessId: number,
  applicationId: string,
): AsyncGenerator<Step> {
  const endpoints = (await client?.listEndpoints({ businessId, applicationId })) ?? [];
  for (const { id: subjectId } of endpoints.filter(({ enabled }) => enabled)) {
    const action = 'webhook_endpoint.disabled';
    const details = applicationId === '' ? {} : { applicationId };
    yield { replay: 'disable_endpoint', event: { ...unknown, action, businessId, subjectId, details } };
  }
}
