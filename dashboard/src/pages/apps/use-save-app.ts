import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { toast, toastPropagation } from '../../parts/toast.tsx';
import { useBusiness } from '../../shell/business-context.ts';
import { type AppDraft, type AppSettings, changesOf, draftOf } from './app-draft.ts';
import { type Application, type Caller, useApplicationCache } from './applications.ts';
import type { ShutOutDoubt } from './confirm-shut-out.tsx';
import { type AppForm, useAppForm } from './use-app-form.ts';
import { checkWhitelist } from './use-whitelist-check.ts';

export interface SaveApp {
  readonly form: AppForm;
  readonly save: (draft: AppDraft) => void;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly doubt: ShutOutDoubt;
}

/** Saves what was changed of an app; asks first when that shuts out who called lately. */
export function useSaveApp(application: Application): SaveApp {
  const { id: businessId } = useBusiness();
  const { id: applicationId } = application;
  const { keep } = useApplicationCache();
  const form = useAppForm(draftOf(application));
  useFreshSettings(application, form);
  const [shutOut, setShutOut] = useState<readonly Caller[]>([]);
  const update = useMutation({
    mutationFn: (body: Partial<AppSettings>) =>
      answerOf(
        api.PATCH('/businesses/{businessId}/applications/{applicationId}', {
          params: { path: { businessId, applicationId } },
          body,
        }),
      ),
    onSuccess: ({ application: saved, propagation }) => {
      setShutOut([]);
      keep(saved);
      form.restart(draftOf(saved));
      toast('The changes are saved.');
      toastPropagation(propagation);
    },
    onError: (error) => {
      setShutOut([]);
      form.refuse(error);
    },
  });
  const check = useMutation({
    mutationFn: (body: Partial<AppSettings>) =>
      checkWhitelist(businessId, applicationId, body.ipWhitelist ?? []),
    onSuccess: (found, body) => {
      if (found.shutOut.length > 0) setShutOut(found.shutOut);
      else update.mutate(body);
    },
  });
  const save = (draft: AppDraft) => {
    const body = changesOf(form.begun, draft);
    if (Object.keys(body).length === 0) return toast('Nothing was changed.');
    if (body.ipWhitelist === undefined) update.mutate(body);
    else check.mutate(body);
  };
  const { isPending, error } = update;
  return {
    form,
    save,
    isPending: isPending || check.isPending,
    error: error ?? check.error,
    doubt: {
      shutOut,
      mutation: { isPending, error: null },
      onConfirm: () => check.variables && update.mutate(check.variables),
      onClose: () => setShutOut([]),
    },
  };
}

/** Follows changes that somebody else made, as long as nothing was typed here. */
function useFreshSettings(application: Application, { fields, begun, restart }: AppForm): void {
  // What was saved here is in the form before it is in the cache: the state from before is no news then.
  const followed = useRef(application);
  useEffect(() => {
    if (application === followed.current || fields.isDirty()) return;
    followed.current = application;
    const latest = draftOf(application);
    if (JSON.stringify(latest) !== JSON.stringify(begun)) restart(latest);
  });
}
