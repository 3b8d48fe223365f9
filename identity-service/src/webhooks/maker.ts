import { eventAudience, isEventScope } from '@platform/protos/vocabulary';
import { AppError } from '@platform/service-kit/values/app-error.ts';
import type { Owner } from '../clients/webhook.ts';
import { holdsScope, type MemberKeyRules } from '../credentials/api-keys/member-rules.ts';
import { webhookEvents } from '../credentials/applications/settings.ts';
import type { Role } from '../platform/role.ts';
import { endpointEvent } from './delivery-schema.ts';

/** Rights of the person who last decided the URL and events of an endpoint. */
export interface MakerRights {
  /** Undefined for a person who has left. */
  readonly role: Role | undefined;
  /** Of the business that owns the endpoint. */
  readonly rules: MemberKeyRules;
}

/** Event types that need a scope which the maker may not hold, so that a key of the maker could not read them. */
export function typesBeyond(maker: MakerRights, types: readonly string[]): string[] {
  return types.filter((type) => {
    const audience = eventAudience(type);
    // Events of connections and API keys need none.
    return isEventScope(audience) && !holdsScope(maker.role, maker.rules, audience);
  });
}

/** Event types that the settings of an endpoint select. */
export function chosenTypes({ applicationId }: Owner, events: readonly string[]): readonly string[] {
  if (events.length > 0) return events;
  return applicationId === '' ? endpointEvent.options : webhookEvents;
}

/** Checks that a person may subscribe an endpoint to these events. @throws AppError permission_denied */
export function checkMaySubscribe(maker: MakerRights, owner: Owner, events: readonly string[]): void {
  const beyond = typesBeyond(maker, chosenTypes(owner, events));
  if (beyond.length === 0) return;
  const allowed = 'an owner can allow it under Settings > Business';
  const text =
    events.length === 0
      ? `choose the events: all of them would include ${beyond.join(', ')}, which developers may not receive; ${allowed}`
      : `developers may not receive ${beyond.join(', ')}: ${allowed}`;
  throw new AppError('permission_denied', 'events_beyond_members', text);
}
