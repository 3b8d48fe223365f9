import { type UseFormReturnType, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { fieldErrors } from '../../api/errors.ts';
import { useFocusOnError } from '../../components/hooks.ts';
import { toast, toastPropagation } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { type AddressUse, type Application, useApplicationCache } from './api.ts';
import {
  type AppFormValues,
  type AppSettings,
  changedFields,
  type RowErrors,
  rowErrors,
  toFormValues,
  validate,
  withoutBlankRows,
} from './form-values.ts';
import { type BlockedAddressesConfirmation, checkWhitelist } from './whitelist.tsx';

/** The form of an app: its fields, and what is wrong with them. */
export interface AppForm {
  /** For `ref` of the form's element. */
  readonly element: RefObject<HTMLFormElement | null>;
  readonly fields: UseFormReturnType<AppFormValues>;
  /** What changes are counted from. */
  readonly begun: AppFormValues;
  readonly redirectFaults: RowErrors;
  readonly whitelistFaults: RowErrors;
  readonly originFaults: RowErrors;
  /** For `onSubmit`: passes a draft on that nothing is seen to be missing from. */
  submit(onward: (draft: AppFormValues) => void): (event: FormEvent) => void;
  /** Shows what the server has against it. */
  refuse(error: Error): void;
  /** Takes what was saved as that which changes are counted from. */
  restart(draft: AppFormValues): void;
  /** Goes back to what was saved. */
  discard(): void;
}

const none: RowErrors = new Map();

export function useAppForm(draft: AppFormValues): AppForm {
  const [begun, setBegun] = useState(draft);
  const fields = useForm<AppFormValues>({ initialValues: draft });
  const [redirectFaults, setRedirectFaults] = useState(none);
  const [whitelistFaults, setWhitelistFaults] = useState(none);
  const [originFaults, setOriginFaults] = useState(none);

  const [refusal, setRefusal] = useState<object | null>(null);
  const element = useFocusOnError(refusal);

  const show = (faults: Readonly<Record<string, string | null>>, shown: AppFormValues) => {
    fields.setErrors(faults);
    setRedirectFaults(rowErrors(faults, 'redirectUris', shown.redirectUris));
    setWhitelistFaults(rowErrors(faults, 'ipWhitelist', shown.ipWhitelist));
    setOriginFaults(rowErrors(faults, 'allowedOrigins', shown.allowedOrigins));
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
      const filled = withoutBlankRows(fields.values);
      fields.setValues(filled);
      const faults = validate(filled);
      if (Object.values(faults).some((fault) => fault !== null)) return show(faults, filled);
      clear();
      onward(filled);
    },
    refuse: (error) => show(fieldErrors(error), withoutBlankRows(fields.values)),
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
  readonly save: (draft: AppFormValues) => void;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly doubt: BlockedAddressesConfirmation;
}

/** Saves what was changed of an app; asks first when that shuts out who called lately. */
export function useSaveApp(application: Application): SaveApp {
  const { id: businessId } = useBusiness();
  const { id: applicationId } = application;
  const { store: keep } = useApplicationCache();
  const form = useAppForm(toFormValues(application));
  useFreshSettings(application, form);
  const [shutOut, setShutOut] = useState<readonly AddressUse[]>([]);
  const update = useMutation({
    mutationFn: (body: Partial<AppSettings>) =>
      unwrap(
        api.PATCH('/businesses/{businessId}/applications/{applicationId}', {
          params: { path: { businessId, applicationId } },
          body,
        }),
      ),
    onSuccess: ({ application: saved, propagation }) => {
      setShutOut([]);
      keep(saved);
      form.restart(toFormValues(saved));
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
  const save = (draft: AppFormValues) => {
    const body = changedFields(form.begun, draft);
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
    const latest = toFormValues(application);
    if (JSON.stringify(latest) !== JSON.stringify(begun)) restart(latest);
  });
}
