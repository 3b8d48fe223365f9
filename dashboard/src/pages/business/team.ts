import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey, sessionKey } from '../../api/queries.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';

type Schemas = components['schemas'];
export type Role = Schemas['Role'];
export type TeamMember = Schemas['TeamMember'];
export type Invitation = Schemas['Invitation'];

interface Team {
  readonly members: readonly TeamMember[];
  readonly invitations: readonly Invitation[];
}

/** Name and description of each role. */
export const roles: Readonly<Record<Role, { readonly name: string; readonly description: string }>> = {
  viewer: {
    name: 'Viewer',
    description: 'Can see everything except secrets, and can change nothing.',
  },
  developer: {
    name: 'Developer',
    description: 'Can also manage API keys, apps and webhooks.',
  },
  owner: {
    name: 'Owner',
    description: 'Can also manage the business itself: verification, team, API access and connected apps.',
  },
};

/** Roles in ascending order. */
export const allRoles = ['viewer', 'developer', 'owner'] as const satisfies readonly Role[];

/** A role in a sentence: "an owner". */
export const roleWithArticle: Readonly<Record<Role, string>> = {
  viewer: 'a viewer',
  developer: 'a developer',
  owner: 'an owner',
};

/** Members and open invitations. */
export function useTeam(): UseQueryResult<Team> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'team'),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/businesses/{businessId}/team', { params: { path: { businessId } }, signal })),
    refetchOnWindowFocus: true,
  });
}

/** Reloads the team. */
export function useRefreshTeam(): () => Promise<void> {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: businessKey(businessId, 'team') });
}

/**
 * Invites an email address, or resends its invitation.
 * @param onInvited called after the list is reloaded, even if the row that started it has unmounted
 */
export function useInvite(
  onInvited: (invitation: Invitation) => void,
): UseMutationResult<Invitation, Error, { email: string; role: Role }> {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshTeam();
  return useMutation({
    mutationFn: (body) =>
      unwrap(
        api.POST('/businesses/{businessId}/team/invitations', { params: { path: { businessId } }, body }),
      ),
    onSuccess: async (invitation) => {
      await refresh();
      onInvited(invitation);
    },
  });
}

/** Changes the role of a member. */
export function useChangeRole({ personId, isYou }: TeamMember): UseMutationResult<unknown, Error, Role> {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (role) =>
      unwrap(
        api.PATCH('/businesses/{businessId}/team/members/{personId}', {
          params: { path: { businessId, personId } },
          body: { role },
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: businessKey(businessId, 'team') });
      // The role is part of the session and decides what pages offer.
      if (isYou) await client.invalidateQueries({ queryKey: sessionKey });
    },
  });
}
