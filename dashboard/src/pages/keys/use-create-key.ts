import { type UseMutationResult, useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { answerOf, api } from '../../api/client.ts';
import type { components } from '../../generated/dashboard-api.d.ts';
import { useBusiness } from '../../shell/business-context.ts';
import { useRefreshApiKeys } from './api-keys.ts';
import type { KeyDraft } from './key-draft.ts';

type NewKey = components['schemas']['ApiKeyRecord'];

export interface CreatedKey {
  readonly apiKey: NewKey;
  readonly keyString: string;
}

export interface CreateKey {
  readonly mutation: UseMutationResult<CreatedKey, Error, Creation>;
  /** Makes the key, once: while it is on its way and when it is there, another press does nothing. */
  readonly create: (creation: Creation) => void;
}

interface Creation {
  readonly draft: KeyDraft;
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
      return answerOf(
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
