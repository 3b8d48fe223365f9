import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import type { components, operations } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';
import type { Role } from './team.ts';

/** Something that a person made, or a key whose string the person has seen. */
export type Leftover = components['schemas']['Leftover'];

type Leftovers = operations['listLeftovers']['responses']['200']['content']['application/json'];

/** Things that would keep working after a person loses rights. @param role the new role; undefined for a removal */
export function useLeftovers(
  { personId, role }: { readonly personId: string; readonly role: Role | undefined },
  enabled: boolean,
): UseQueryResult<Leftovers> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'team', 'leftovers', personId, role ?? 'removal'),
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/businesses/{businessId}/team/members/{personId}/leftovers', {
          params: { path: { businessId, personId }, query: role === undefined ? {} : { role } },
          signal,
        }),
      ),
    staleTime: 0,
    enabled,
  });
}

/** Kinds in the order of the list, each with its heading. */
export const headings = [
  ['api_key', 'API keys whose string this person has seen'],
  ['client_secret', 'Client secrets'],
  ['redirect_uri', 'Redirect URIs'],
  ['ip_address', 'Whitelisted IP addresses'],
  ['allowed_origin', 'Allowed origins'],
  ['webhook_endpoint', 'Webhook endpoints'],
] as const satisfies readonly (readonly [Leftover['kind'], string])[];

/** Name of each kind, and the effect on an app that has no entry of this kind left. */
const losses: Readonly<Partial<Record<Leftover['kind'], readonly [what: string, effect: string]>>> = {
  client_secret: ['client secret', 'cannot get tokens until you create one'],
  redirect_uri: ['redirect URI', 'cannot be connected until you enter one'],
  ip_address: ['IP address', 'has all its requests refused until you enter one'],
};

/** Sentences about apps that lose the last of a kind. @param ending leftovers that end */
export function lastOnes(leftovers: readonly Leftover[], ending: readonly Leftover[]): string[] {
  const sentences = ending.map(({ kind, application, others }) => {
    const loss = losses[kind];
    const isLast =
      others === 0 &&
      leftovers.every(
        (other) => other.kind !== kind || other.application?.id !== application?.id || ending.includes(other),
      );
    if (loss === undefined || application === null || !isLast) return undefined;
    return `“${application.name}” has no other ${loss[0]}: it ${loss[1]}.`;
  });
  return [...new Set(sentences)].filter((sentence) => sentence !== undefined);
}
