import { Alert, Button, Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, unwrap } from '../../api/client.ts';
import { fieldErrors } from '../../api/errors.ts';
import { useFocusOnError } from '../../components/hooks.ts';
import { Panel } from '../../components/panel.tsx';
import { DescriptionList } from '../../components/rows.tsx';
import { ErrorAlert } from '../../components/states.tsx';
import { StatusBadge, type Tone } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { toast } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import classes from './business.module.css';
import { allCountries, countryName, useRefreshBusiness, type Verification } from './business.ts';

/** Renders the options inside the form, where screen readers find them. */
const inPlace = { withinPortal: false };

const emptyValues = { legalName: '', registrationNumber: '', country: '' };

/** Submits the legal entity for verification; prefilled after a rejection. */
function VerificationForm({ verification: { facts, state } }: { readonly verification: Verification }) {
  const { id: businessId } = useBusiness();
  const refresh = useRefreshBusiness();
  const countries = useMemo(allCountries, []);
  const form = useForm({ initialValues: facts ?? emptyValues });
  const submission = useMutation({
    mutationFn: (body: typeof emptyValues) =>
      unwrap(api.POST('/businesses/{businessId}/verification', { params: { path: { businessId } }, body })),
    onSuccess: async () => {
      await refresh();
      toast('Submitted for verification.');
    },
    onError: (error) => {
      const errors = fieldErrors(error);
      form.setErrors({ ...errors, ...('country' in errors && { country: 'Select a country.' }) });
    },
  });
  const formRef = useFocusOnError(submission.error);
  return (
    <form
      ref={formRef}
      className={classes.form}
      onSubmit={form.onSubmit((values) => submission.mutate(values))}
      noValidate
      aria-label="Verification"
    >
      <Stack gap="md">
        <TextInput
          label="Registered name"
          description="As in the commercial register."
          required
          autoComplete="organization"
          {...form.getInputProps('legalName')}
        />
        <TextInput
          label="Registration number"
          description="For example HRB 12345."
          required
          autoComplete="off"
          {...form.getInputProps('registrationNumber')}
        />
        <Select
          label="Country"
          placeholder="Select or type"
          required
          searchable
          selectFirstOptionOnChange
          allowDeselect={false}
          comboboxProps={inPlace}
          data={countries}
          nothingFoundMessage="No match"
          {...form.getInputProps('country')}
          value={form.values.country === '' ? null : form.values.country}
          onChange={(value) => form.setFieldValue('country', value ?? '')}
        />
        <ErrorAlert error={submission.error} shown={Object.keys(form.values)} />
        <div>
          <Button type="submit" loading={submission.isPending}>
            {state === 'rejected' ? 'Submit again' : 'Submit for verification'}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

const stateLabels: Readonly<Record<Verification['state'], { tone: Tone; label: string; text: string }>> = {
  unverified: {
    tone: 'warning',
    label: 'Not verified',
    text: 'Required to register and connect apps: tell us the legal entity behind this business. API keys work without verification.',
  },
  pending: {
    tone: 'waiting',
    label: 'In review',
    text: 'We are reviewing your submission. There is nothing to do until then; API keys keep working.',
  },
  verified: {
    tone: 'good',
    label: 'Verified',
    text: 'This business can register and connect apps.',
  },
  rejected: {
    tone: 'bad',
    label: 'Rejected',
    text: 'Required to register and connect apps. API keys work without verification.',
  },
};

/** Verification status, submitted facts and the form. */
export function VerificationPanel({ verification }: { readonly verification: Verification }) {
  const { role } = useBusiness();
  const { state, rejectionReason } = verification;
  const { tone, label, text } = stateLabels[state];
  const isOpen = state === 'unverified' || state === 'rejected';
  return (
    <Panel title="Verification" description={text} actions={<StatusBadge tone={tone}>{label}</StatusBadge>}>
      {state === 'rejected' && (
        <Alert
          color="red"
          icon={<IconAlertTriangle />}
          title="We could not verify this business"
          role="status"
        >
          {rejectionReason}
        </Alert>
      )}
      <SubmittedFacts verification={verification} withFacts={!isOpen || role !== 'owner'} />
      {isOpen && role === 'owner' && <VerificationForm key={state} verification={verification} />}
      {isOpen && role !== 'owner' && (
        <Text size="sm" c="dimmed">
          Only owners can submit this business for verification.
        </Text>
      )}
    </Panel>
  );
}

function SubmittedFacts({
  verification: { state, facts, submittedAt, decidedAt },
  withFacts,
}: {
  readonly verification: Verification;
  /** False while the form shows them. */
  readonly withFacts: boolean;
}) {
  if (facts === null) return null;
  const { legalName, registrationNumber, country } = facts;
  const decided = state === 'verified' ? 'Verified' : 'Rejected';
  return (
    <DescriptionList
      items={[
        ...(withFacts
          ? ([
              ['Registered name', legalName],
              ['Registration number', registrationNumber],
              ['Country', countryName(country)],
            ] as const)
          : []),
        ['Submitted', <Timestamp key="submitted" at={submittedAt} />],
        ...(decidedAt === null ? [] : [[decided, <Timestamp key="decided" at={decidedAt} />] as const]),
      ]}
    />
  );
}
