import { type UseFormReturnType, useForm } from '@mantine/form';
import { type FormEvent, type RefObject, useState } from 'react';
import { formFaults } from '../../api/form-faults.ts';
import { useFocusOnFault } from '../../parts/use-focus-on-fault.ts';
import { type AppDraft, faultsOf, tidied } from './app-draft.ts';
import { type EntryFaults, entryFaults } from './list-rows.ts';

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
