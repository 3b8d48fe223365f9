import type { z } from 'zod';
import type { RequestLog } from '../../traffic/request-log.ts';
import { businessOperation, type Operation } from '../../web/dashboard-api/operation.ts';
import { keyNotFound } from '../api-keys/api-key.ts';
import { getApplication } from '../applications/operations.ts';
import type { ApplicationStore } from '../applications/store.ts';
import { grantNotFound } from '../grants/grant.ts';
import * as specs from './dashboard-schema.ts';
import { type AccessSettings, type Change, forecast } from './forecast.ts';
import type { SettingsReader } from './settings-store.ts';
import { type Summary, summarise } from './summary.ts';

interface ForecastDeps {
  readonly accessSettings: SettingsReader;
  readonly applications: ApplicationStore;
  readonly requests: Pick<RequestLog, 'demands' | 'coverage'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const spanMs = 7 * 24 * 3_600_000;

type Body<Spec extends { readonly body: z.ZodType }> = z.output<Spec['body']>;

/** Forecasts of changes: what they would have refused. */
export function forecastOperations(deps: ForecastDeps): Operation[] {
  const { accessSettings } = deps;
  const ofKey = async (businessId: number, apiKeyId: string) => {
    const settings = await accessSettings.ofKey(businessId, apiKeyId);
    if (settings.length === 0) throw keyNotFound();
    return settings;
  };
  return [
    businessOperation(specs.forecastApiKey, async ({ businessId, param, body }) =>
      forecastOver(deps, businessId, await ofKey(businessId, param('apiKeyId')), changeOfKey(body)),
    ),
    businessOperation(specs.forecastApiKeyLimit, async ({ businessId, param, body: { limit } }) =>
      forecastOver(deps, businessId, await ofKey(businessId, param('apiKeyId')), (today) => ({
        ...today,
        limit,
      })),
    ),
    businessOperation(specs.forecastApplication, async ({ businessId, param, body }) => {
      const { id } = await getApplication(deps, { businessId, applicationId: param('applicationId') });
      const settings = await accessSettings.ofApplication(businessId, id);
      return forecastOver(deps, businessId, settings, changeOfApplication(body));
    }),
    businessOperation(specs.forecastConnection, async ({ businessId, param, body: { change } }) => {
      const settings = await accessSettings.ofGrant(businessId, param('grantId'));
      if (settings.length === 0) throw grantNotFound();
      return forecastOver(deps, businessId, settings, (today) =>
        change === 'suspend' ? { ...today, suspended: 'connection' } : undefined,
      );
    }),
    businessOperation(specs.forecastFreeze, async ({ businessId }) =>
      forecastOver(deps, businessId, await accessSettings.ofBusiness(businessId), (today) => ({
        ...today,
        frozen: true,
      })),
    ),
  ];
}

function changeOfKey({ deleted, frozen, expiresAt, ...body }: Body<typeof specs.forecastApiKey>): Change {
  if (deleted) return () => undefined;
  return (today) => ({
    ...today,
    scopes: body.scopes ?? today.scopes,
    ipWhitelist: body.ipWhitelist?.length === 0 ? undefined : (body.ipWhitelist ?? today.ipWhitelist),
    keyFrozen: frozen ?? today.keyFrozen,
    expiresAt: expiresAt ?? today.expiresAt,
    readAt: Math.max(today.readAt, expiresAt ?? 0),
  });
}

function changeOfApplication(body: Body<typeof specs.forecastApplication>): Change {
  if (body.deleted) return () => undefined;
  return (today) => ({
    ...today,
    scopes: today.scopes.filter((scope) => body.scopes?.includes(scope) ?? true),
    ipWhitelist: body.ipWhitelist ?? today.ipWhitelist,
    suspended: body.suspended ? 'application' : today.suspended,
  });
}

/** Reads what the log has of some settings, and decides. */
async function forecastOver(
  { requests, now }: ForecastDeps,
  businessId: number,
  settings: readonly AccessSettings[],
  change: Change,
) {
  const span = { from: now() - spanMs, to: now() };
  const withTimes = settings.some((today) => (change(today)?.limit ?? today.limit) !== today.limit);
  const [{ demands, others }, { since, missedMinutes }] = await Promise.all([
    requests.demands(settings, span, { withTimes }),
    requests.coverage([businessId], span),
  ]);
  const { requests: considered, effects } = forecast(demands, settings, change);
  return {
    ...span,
    since: since === undefined ? undefined : Math.max(since, span.from),
    missedMinutes,
    requests: considered,
    undecided: others,
    ...toResponse(summarise(effects)),
  };
}

function toResponse({ reasons, addresses, endpoints, places, ...counts }: Summary) {
  const withRoute = <Entry extends { readonly route: string }>({ route, ...entry }: Entry) => ({
    ...entry,
    route: route === 'none' ? null : route,
  });
  return {
    ...counts,
    reasons: [...reasons],
    addresses: [...addresses],
    endpoints: endpoints.map(withRoute),
    places: places.map(withRoute),
  };
}
