import { type UseFormReturnType, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { formFaults } from '../../api/errors.ts';
import { useFocusOnFault } from '../../components/hooks.ts';
import { toast, toastPropagation } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { type Application, type Caller, useApplicationCache } from './api.ts';
import {
  type AppDraft,
  type AppSettings,
  changesOf,
  draftOf,
  type EntryFaults,
  entryFaults,
  faultsOf,
  tidied,
} from './draft.ts';
import { checkWhitelist, type ShutOutDoubt } from './whitelist.tsx';

/** The form of an app: its fields, and what is wrong with them. */
export interface AppForm {
  /** For `ref` of the form's element. */
  readonly element: RefObject<HTMLFormElement | null>;
  readonly fields: UseFormReturnType<AppDraft>;
  /** What changes are counted from. */
  readonly begun: AppDraft;
  readonly redirectFaults: EntryFaults;
  readonly whitelistFaults: EntryFaults;
  readonly originFaults: EntryFaults;
  /** For `onSubmit`: passes a draft on that nothing is seen to be missing from. */
  submit(onward: (draft: AppDraft) => void): (event: FormEvent) => void;
  /** Shows what the server has against it. */
  refuse(error: Error): void;
  /** Takes what was saved as that which changes are counted from. */
  restart(draft: AppDraft): void;
  /** Goes back to what was saved. */
  discard(): void;
}

const none: EntryFaults = new Map();

export function useAppForm(draft: AppDraft): AppForm {
  const [begun, setBegun] = useState(draft);
  const fields = useForm<AppDraft>({ initialValues: draft });
  const [redirectFaults, setRedirectFaults] = useState(none);
  const [whitelistFaults, setWhitelistFaults] = useState(none);
  const [originFaults, setOriginFaults] = useState(none);

  const [refusal, setRefusal] = useState<object | null>(null);
  const element = useFocusOnFault(refusal);

  const show = (faults: Readonly<Record<string, string | null>>, shown: AppDraft) => {
    fields.setErrors(faults);
    setRedirectFaults(entryFaults(faults, 'redirectUris', shown.redirectUris));
    setWhitelistFaults(entryFaults(faults, 'ipWhitelist', shown.ipWhitelist));
    setOriginFaults(entryFaults(faults, 'allowedOrigins', shown.allowedOrigins));
    setRefusal(faults);
  };
  const clear = () => {
    fields.clearErrors();
    setRedirectFaults(none);
    setWhitelistFaults(none);
    setOriginFaults(none);
  };
  return {
    element,
    fields,
    begun,
    redirectFaults,
    whitelistFaults,
    originFaults,
    submit: (onward) => (event) => {
      event.preventDefault();
      const filled = tidied(fields.values);
      fields.setValues(filled);
      const faults = faultsOf(filled);
      if (Object.values(faults).some((fault) => fault !== null)) return show(faults, filled);
      clear();
      onward(filled);
    },
    refuse: (error) => show(formFaults(error), tidied(fields.values)),
    restart: (saved) => {
      setBegun(saved);
      fields.setInitialValues(saved);
      fields.setValues(saved);
      clear();
    },
    discard: () => {
      fields.reset();
      clear();
    },
  };
}

interface SaveApp {
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
