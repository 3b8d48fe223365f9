import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { businessKey, sessionKey } from '../../api/queries.ts';
import { type Propagation, toastPropagation, toastWarning } from '../../components/toast.tsx';
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

/** Shows what happened to the things that a member made. */
export function announceLoss({
  propagation,
  endpointsEnded,
}: {
  readonly propagation: Propagation;
  readonly endpointsEnded: boolean;
}): void {
  toastPropagation(propagation);
  if (endpointsEnded) return;
  toastWarning(
    'The webhook service did not respond, so the webhook endpoints of this person were not ended. Delete them under Webhooks.',
  );
}

/** Reloads all of the business: keys, apps and endpoints may have ended. */
function useRefreshBusiness(): () => Promise<void> {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: businessKey(businessId) });
}

/** Removes a member, and ends what the member made, except for kept things. */
export function useRemoveMember({
  personId,
}: TeamMember): UseMutationResult<unknown, Error, readonly string[]> {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshBusiness();
  return useMutation({
    mutationFn: (kept) =>
      unwrap(
        api.DELETE('/businesses/{businessId}/team/members/{personId}', {
          params: { path: { businessId, personId } },
          body: { keep: [...kept] },
        }),
      ),
    onSuccess: (change) => {
      announceLoss(change);
      return refresh();
    },
  });
}

/** A new role, and identifiers of leftovers that are kept. */
interface NewRole {
  readonly role: Role;
  readonly kept: readonly string[];
}

/** Changes the role of a member. */
export function useChangeRole({ personId, isYou }: TeamMember): UseMutationResult<unknown, Error, NewRole> {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  const refresh = useRefreshBusiness();
  return useMutation({
    mutationFn: ({ role, kept }) =>
      unwrap(
        api.PATCH('/businesses/{businessId}/team/members/{personId}', {
          params: { path: { businessId, personId } },
          body: { role, keep: [...kept] },
        }),
      ),
    onSuccess: async (change) => {
      announceLoss(change);
      await refresh();
      // The role is part of the session and decides what pages offer.
      if (isYou) await client.invalidateQueries({ queryKey: sessionKey });
    },
  });
}
