import { type UseFormReturnType, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { fieldErrors } from '../../api/errors.ts';
import { savedValues } from '../../components/changed-values.ts';
import { useFocusOnError } from '../../components/hooks.ts';
import { toast, toastPropagation } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import { type AddressUse, type Application, useApplicationCache } from './api.ts';
import {
  type AppFormValues,
  changedFields,
  type FormErrors,
  type RowErrors,
  type RowField,
  rowErrors,
  rowFields,
  toFormValues,
  validate,
  withoutBlankRows,
} from './form-values.ts';
import { type BlockedAddressesConfirmation, checkWhitelist } from './whitelist.tsx';

/** State of the form that creates or edits an app. */
export interface AppForm {
  /** `ref` of the form element. */
  readonly ref: RefObject<HTMLFormElement | null>;
  readonly fields: UseFormReturnType<AppFormValues>;
  /** Errors of each list's rows. */
  readonly rowErrors: ReadonlyMap<RowField, RowErrors>;
  /** `onSubmit` of the form element: validates, then passes the values on. */
  submit(onValid: (values: AppFormValues) => void): (event: FormEvent) => void;
  /** Shows the field errors of a failed request. */
  showError(error: Error): void;
  /** Sets new initial values and shows them, except for fields that were changed since `sent`. */
  reinitialize(values: AppFormValues, sent?: AppFormValues): void;
  /** Restores the initial values. */
  reset(): void;
}

export function useAppForm(initialValues: AppFormValues): AppForm {
  const fields = useForm<AppFormValues>({ initialValues });
  const [errorsByList, setErrorsByList] = useState<ReadonlyMap<RowField, RowErrors>>(new Map());
  const [shownErrors, setShownErrors] = useState<FormErrors | null>(null);
  const ref = useFocusOnError(shownErrors);

  const showErrors = (errors: FormErrors, values: AppFormValues) => {
    fields.setErrors(errors);
    setErrorsByList(new Map(rowFields.map((field) => [field, rowErrors(errors, field, values[field])])));
    setShownErrors(errors);
  };
  const clearErrors = () => {
    fields.clearErrors();
    setErrorsByList(new Map());
  };
  return {
    ref,
    fields,
    rowErrors: errorsByList,
    submit: (onValid) => (event) => {
      event.preventDefault();
      const values = withoutBlankRows(fields.values);
      fields.setValues(values);
      const errors = validate(values);
      if (Object.keys(errors).length > 0) return showErrors(errors, values);
      clearErrors();
      onValid(values);
    },
    showError: (error) => showErrors(fieldErrors(error), withoutBlankRows(fields.values)),
    reinitialize: (values, sent = fields.getValues()) => {
      fields.setInitialValues(values);
      fields.setValues(savedValues(values, sent, fields.getValues()));
      clearErrors();
    },
    reset: () => {
      fields.reset();
      clearErrors();
    },
  };
}

/** A save: the changed settings, and all values of the form when it began. */
interface Change {
  readonly body: Partial<AppFormValues>;
  readonly values: AppFormValues;
}

interface SaveApp {
  readonly form: AppForm;
  readonly save: (values: AppFormValues) => void;
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly confirmation: BlockedAddressesConfirmation;
}

/** Saves the changed settings of an app; asks for confirmation when the new whitelist blocks addresses in use. */
export function useSaveApp(application: Application): SaveApp {
  const { id: businessId } = useBusiness();
  const { id: applicationId } = application;
  const { store } = useApplicationCache();
  const form = useAppForm(toFormValues(application));
  useServerChanges(application, form);
  const [blocked, setBlocked] = useState<readonly AddressUse[]>([]);
  const update = useMutation({
    mutationFn: ({ body }: Change) =>
      unwrap(
        api.PATCH('/businesses/{businessId}/applications/{applicationId}', {
          params: { path: { businessId, applicationId } },
          body,
        }),
      ),
    onSuccess: ({ application: saved, propagation }, { values }) => {
      setBlocked([]);
      store(saved);
      form.reinitialize(toFormValues(saved), values);
      toast('Changes saved.');
      toastPropagation(propagation);
    },
    onError: (error) => {
      setBlocked([]);
      form.showError(error);
    },
  });
  const check = useMutation({
    mutationFn: ({ body }: Change) => checkWhitelist(businessId, { applicationId }, body.ipWhitelist ?? []),
    onSuccess: ({ shutOut }, change) => {
      if (shutOut.length > 0) setBlocked(shutOut);
      else update.mutate(change);
    },
    onError: (error) => form.showError(error),
  });
  const save = (values: AppFormValues) => {
    const body = changedFields(form.fields.getInitialValues(), values);
    if (Object.keys(body).length === 0) return toast('Nothing to save.');
    // Errors of an earlier attempt.
    update.reset();
    check.reset();
    if (body.ipWhitelist === undefined) update.mutate({ body, values });
    else check.mutate({ body, values });
  };
  const { isPending, error } = update;
  return {
    form,
    save,
    isPending: isPending || check.isPending,
    error: error ?? check.error,
    confirmation: {
      addresses: blocked,
      mutation: { isPending, error: null },
      onConfirm: () => check.variables && update.mutate(check.variables),
      onClose: () => setBlocked([]),
    },
  };
}

/** Shows changes made elsewhere, unless the form has unsaved edits. */
function useServerChanges(application: Application, { fields, reinitialize }: AppForm): void {
  // After a save, the form has the new values before the cache. The old application does not count as a change.
  const seen = useRef(application);
  useEffect(() => {
    if (application === seen.current || fields.isDirty()) return;
    seen.current = application;
    const latest = toFormValues(application);
    if (JSON.stringify(latest) !== JSON.stringify(fields.getInitialValues())) reinitialize(latest);
  });
}
