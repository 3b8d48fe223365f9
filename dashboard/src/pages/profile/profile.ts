import {
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import { sessionKey } from '../../api/queries.ts';
import type { components } from '../../generated/dashboard-api.d.ts';

type Schemas = components['schemas'];
export type Profile = Schemas['Profile'];
export type DeletionObstacle = Schemas['DeletionObstacle'];
export type PendingEmail = Schemas['PendingEmail'];
export type LoginSession = Schemas['LoginSession'];
export type OfferedSecondFactor = Schemas['OfferedSecondFactor'];
export type Passkey = Schemas['Passkey'];

const profileKey = ['profile'] as const;
const emailKey = ['profile', 'email'] as const;
const deletionKey = ['profile', 'deletion'] as const;
const passkeysKey = ['profile', 'passkeys'] as const;
const sessionsKey = ['profile', 'sessions'] as const;

/** The account of the logged-in person. */
export function useProfile(): UseQueryResult<Profile> {
  return useQuery({
    queryKey: profileKey,
    queryFn: ({ signal }) => unwrap(api.GET('/profile', { signal })),
    // The link of a new email address is followed in another tab.
    refetchOnWindowFocus: true,
  });
}

/** The new email address that waits for its link; null for none. */
export function usePendingEmail(): UseQueryResult<PendingEmail | null> {
  return useQuery({
    queryKey: emailKey,
    queryFn: async ({ signal }) => (await unwrap(api.GET('/profile/email', { signal }))).pending,
    refetchOnWindowFocus: true,
  });
}

/** Businesses that keep the person from deleting the account. */
export function useDeletionObstacles(): UseQueryResult<readonly DeletionObstacle[]> {
  return useQuery({
    queryKey: deletionKey,
    queryFn: async ({ signal }) => (await unwrap(api.GET('/profile/deletion', { signal }))).obstacles,
    refetchOnWindowFocus: true,
  });
}

/** Sessions of the logged-in person. */
export function useLoginSessions(): UseQueryResult<readonly LoginSession[]> {
  return useQuery({
    queryKey: sessionsKey,
    queryFn: async ({ signal }) => (await unwrap(api.GET('/profile/sessions', { signal }))).sessions,
    refetchOnWindowFocus: true,
  });
}

/** Passkeys of the person, and the origin whose pages can use them. */
export function usePasskeys() {
  return useQuery({
    queryKey: passkeysKey,
    queryFn: ({ signal }) => unwrap(api.GET('/profile/passkeys', { signal })),
  });
}

/** A mutation of the account that reloads everything about it. */
export function useAccountChange<Input, Result>(
  change: (input: Input) => Promise<Result>,
): UseMutationResult<Result, Error, Input> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: profileKey });
      void client.invalidateQueries({ queryKey: sessionKey });
    },
  });
}
