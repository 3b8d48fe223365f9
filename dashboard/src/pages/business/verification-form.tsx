import { Button, Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import { answerOf, api } from '../../api/client.ts';
import { formFaults } from '../../api/form-faults.ts';
import { ActionError } from '../../parts/action-error.tsx';
import { toast } from '../../parts/toast.tsx';
import { useFocusOnFault } from '../../parts/use-focus-on-fault.ts';
import { useBusiness } from '../../shell/business-context.ts';
import classes from './business.module.css';
import { useRefreshBusiness, type Verification } from './business.ts';
import { allCountries } from './countries.ts';

/** The options belong to the form, also for whoever reads the page by its parts. */
const inPlace = { withinPortal: false };
const nothing = { legalName: '', registrationNumber: '', country: '' };

/** Hands in the legal facts. After a rejection they stand there to be corrected. */
export function VerificationForm({
  verification: { facts, state },
}: {
  readonly verification: Verification;
}) {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshBusiness();
  const countries = useMemo(allCountries, []);
  const form = useForm({ initialValues: facts ?? nothing });
  const submission = useMutation({
    mutationFn: (body: typeof nothing) =>
      answerOf(api.POST('/businesses/{businessId}/verification', { params: { path: { businessId } }, body })),
    onSuccess: async () => {
      await refresh();
      toast('Handed in. We will look at it.');
    },
    onError: (error) => {
      const faults = formFaults(error);
      form.setErrors({ ...faults, ...('country' in faults && { country: 'Choose the country.' }) });
    },
  });
  const element = useFocusOnFault(submission.error);
  return (
    <form
      ref={element}
      className={classes.form}
      onSubmit={form.onSubmit((values) => submission.mutate(values))}
      noValidate
      aria-label="Verification"
    >
      <Stack gap="md">
        <TextInput
          label="Registered name"
          description="As it stands in the commercial register."
          required
          autoComplete="organization"
          {...form.getInputProps('legalName')}
        />
        <TextInput
          label="Number in the register"
          description="For example HRB 12345."
          required
          autoComplete="off"
          {...form.getInputProps('registrationNumber')}
        />
        <Select
          label="Country"
          placeholder="Choose or type"
          required
          searchable
          selectFirstOptionOnChange
          allowDeselect={false}
          comboboxProps={inPlace}
          data={countries}
          nothingFoundMessage="No such country"
          {...form.getInputProps('country')}
          value={form.values.country === '' ? null : form.values.country}
          onChange={(value) => form.setFieldValue('country', value ?? '')}
        />
        {Object.keys(form.errors).length === 0 && <ActionError error={submission.error} />}
        <div>
          <Button type="submit" loading={submission.isPending}>
            {state === 'rejected' ? 'Hand in again' : 'Hand in for verification'}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
