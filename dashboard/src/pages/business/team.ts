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

export interface Team {
  readonly members: readonly TeamMember[];
  readonly invitations: readonly Invitation[];
}

/** What a role is called, and what it may do. */
export const roles: Readonly<Record<Role, { readonly name: string; readonly description: string }>> = {
  member: {
    name: 'Member',
    description: 'Sees everything, and looks after API keys and apps.',
  },
  owner: {
    name: 'Owner',
    description: 'Also decides about the business itself: verification, team, API access and connected apps.',
  },
};

/** The role that a member does not have. */
export function otherRole({ role }: TeamMember): Role {
  return role === 'owner' ? 'member' : 'owner';
}

/** Who belongs to the business, and who was asked to. */
export function useTeam(): UseQueryResult<Team> {
  const { id: businessId } = useBusiness();
  return useQuery({
    queryKey: businessKey(businessId, 'team'),
    queryFn: ({ signal }) =>
      unwrap(api.GET('/businesses/{businessId}/team', { params: { path: { businessId } }, signal })),
    refetchOnWindowFocus: true,
  });
}

/** Looks the team up again. */
export function useRefreshTeam(): () => Promise<void> {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: businessKey(businessId, 'team') });
}

/**
 * Invites an address, anew where it was invited before.
 * @param onInvited called once the list has the invitation, also where the row that asked for it is gone by then
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

/** Gives a member another role. */
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
      // What this page offers hangs on the own role.
      if (isYou) await client.invalidateQueries({ queryKey: sessionKey });
    },
  });
}
