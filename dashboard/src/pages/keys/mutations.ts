import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { businessKey } from '../../api/queries.ts';
import type { Scope } from '../../api/session.ts';
import { toast, toastError, toastPropagation, toastWithUndo } from '../../components/toast.tsx';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/session-context.ts';
import { type ApiKeyDetail, fetchApiKey, unusedScopes, usedScopes, useRefreshApiKeys } from './api.ts';
import type { KeyFormValues } from './form-values.ts';

type NewKey = components['schemas']['ApiKeyRecord'];

interface CreatedKey {
  readonly apiKey: NewKey;
  readonly keyString: string;
}

interface CreateKey {
  readonly mutation: UseMutationResult<CreatedKey, Error, Creation>;
  /** Makes the key, once: while it is on its way and when it is there, another press does nothing. */
  readonly create: (creation: Creation) => void;
}

interface Creation {
  readonly draft: KeyFormValues;
  /** Milliseconds since 1970; null for never. */
  readonly expiresAt: number | null;
}

export function useCreateKey(onError: (error: Error) => void): CreateKey {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshApiKeys();
  const isSent = useRef(false);
  const mutation = useMutation({
    mutationFn: ({ draft, expiresAt }: Creation) => {
      const { name, description, keyType, scopes } = draft;
      return unwrap(
        api.POST('/businesses/{businessId}/api-keys', {
          params: { path: { businessId } },
          body: {
            name,
            description,
            keyType,
            scopes: keyType === 'restricted' ? [...scopes] : [],
            expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
          },
        }),
      );
    },
    // What is shown is the new string, whether or not the list can be looked up again.
    onSuccess: () => void refresh(),
    onError: (error) => {
      isSent.current = false;
      onError(error);
    },
  });
  const create = (creation: Creation) => {
    if (isSent.current) return;
    isSent.current = true;
    mutation.mutate(creation);
  };
  return { mutation, create };
}

/** What may be changed of a key; what is absent stays. Scopes are named only to be changed: gateways are told then. */
export interface KeyChanges {
  readonly name?: string;
  readonly description?: string;
  readonly scopes?: readonly Scope[];
}

/** Changes a key. Resolves once the page shows it. */
export function useUpdateKey(apiKeyId: string): UseMutationResult<unknown, Error, KeyChanges> {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshApiKeys();
  return useMutation({
    mutationFn: ({ scopes, ...texts }: KeyChanges) =>
      unwrap(
        api.PATCH('/businesses/{businessId}/api-keys/{apiKeyId}', {
          params: { path: { businessId, apiKeyId } },
          body: { ...texts, ...(scopes !== undefined && { scopes: [...scopes] }) },
        }),
      ),
    onSuccess: ({ propagation }) => {
      toastPropagation(propagation);
      return refresh();
    },
  });
}

/** Something was used meanwhile that was about to be taken away. */
export class ScopeUseChanged extends Error {
  override readonly name = 'ScopeUseChanged';
}

/** Leaves a key the scopes that were really used, and offers to take that back. */
export function useRemoveUnusedScopes(apiKey: ApiKeyDetail): UseMutationResult<void, Error, void> {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  const update = useUpdateKey(apiKey.id);
  const setScopes = (scopes: readonly Scope[]) => update.mutateAsync({ scopes });
  const undo = () => {
    setScopes(apiKey.scopes).then(
      () => toast('The key may do everything again that it could before.'),
      toastError,
    );
  };
  return useMutation({
    mutationFn: async () => {
      const now = await fetchApiKey(businessId, apiKey.id);
      client.setQueryData(businessKey(businessId, 'api-keys', apiKey.id), now);
      if (String(unusedScopes(now)) !== String(unusedScopes(apiKey))) throw new ScopeUseChanged();
      await setScopes(usedScopes(now));
    },
    onSuccess: () => toastWithUndo('The key keeps only what it uses.', undo),
  });
}
