import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import type { AddressUse } from '../apps/api.ts';
import { type BlockedAddressesConfirmation, checkWhitelist } from '../apps/whitelist.tsx';
import type { KeySettings } from './form-values.ts';
import { useUpdateKey } from './mutations.ts';

interface SaveKey {
  readonly save: (changes: Partial<KeySettings>) => void;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly confirmation: BlockedAddressesConfirmation;
}

/** Saves changed settings of a key; asks for confirmation when its new whitelist blocks addresses in use. */
export function useSaveKey(
  apiKeyId: string,
  { onSaved, onError }: { readonly onSaved: () => void; readonly onError: (error: Error) => void },
): SaveKey {
  const { id: businessId } = useBusiness();
  const [blocked, setBlocked] = useState<readonly AddressUse[]>([]);
  const update = useUpdateKey(apiKeyId);
  const send = (changes: Partial<KeySettings>) =>
    update.mutate(changes, {
      onSuccess: () => {
        setBlocked([]);
        toast('Changes saved.');
        onSaved();
      },
      onError: (error) => {
        setBlocked([]);
        onError(error);
      },
    });
  const check = useMutation({
    mutationFn: ({ ipWhitelist = [] }: Partial<KeySettings>) =>
      checkWhitelist(businessId, { apiKeyId }, ipWhitelist),
    onSuccess: ({ shutOut }, changes) => {
      if (shutOut.length > 0) setBlocked(shutOut);
      else send(changes);
    },
    onError,
  });
  const save = (changes: Partial<KeySettings>) => {
    // Errors of an earlier attempt.
    update.reset();
    check.reset();
    if (changes.ipWhitelist === undefined) send(changes);
    else check.mutate(changes);
  };
  const { isPending, error } = update;
  return {
    save,
    isPending: isPending || check.isPending,
    error: error ?? check.error,
    confirmation: {
      addresses: blocked,
      mutation: { isPending, error: null },
      onConfirm: () => check.variables && send(check.variables),
      onClose: () => setBlocked([]),
    },
  };
}
