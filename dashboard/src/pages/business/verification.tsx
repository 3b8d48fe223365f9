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

/** The options belong to the form, also for whoever reads the page by its parts. */
const inPlace = { withinPortal: false };

const emptyValues = { legalName: '', registrationNumber: '', country: '' };

/** Hands in the legal facts. After a rejection they stand there to be corrected. */
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
      toast('Handed in. We will look at it.');
    },
    onError: (error) => {
      const faults = fieldErrors(error);
      form.setErrors({ ...faults, ...('country' in faults && { country: 'Choose the country.' }) });
    },
  });
  const element = useFocusOnError(submission.error);
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
        {Object.keys(form.errors).length === 0 && <ErrorAlert error={submission.error} />}
        <div>
          <Button type="submit" loading={submission.isPending}>
            {state === 'rejected' ? 'Hand in again' : 'Hand in for verification'}
          </Button>
        </div>
      </Stack>
    </form>
  );
}

const stateLabels: Readonly<Record<Verification['state'], { tone: Tone; word: string; text: string }>> = {
  unverified: {
    tone: 'warning',
    word: 'Not verified',
    text: 'Before this business can register apps or connect those of others, we have to know the legal entity behind it. API keys work without.',
  },
  pending: {
    tone: 'waiting',
    word: 'Being checked',
    text: 'We are looking at what was handed in. There is nothing to do until then; API keys work meanwhile.',
  },
  verified: {
    tone: 'good',
    word: 'Verified',
    text: 'This business can register apps, and connect those of others.',
  },
  rejected: {
    tone: 'bad',
    word: 'Rejected',
    text: 'Apps can be registered and connected once the business is verified. API keys work without.',
  },
};

/** The legal entity behind the business: what was handed in, where that stands, and the form. */
export function VerificationPanel({ verification }: { readonly verification: Verification }) {
  const { role } = useBusiness();
  const { state, rejectionReason } = verification;
  const { tone, word, text } = stateLabels[state];
  const isOpen = state === 'unverified' || state === 'rejected';
  return (
    <Panel title="Verification" description={text} actions={<StatusBadge tone={tone}>{word}</StatusBadge>}>
      {state === 'rejected' && (
        <Alert
          color="red"
          icon={<IconAlertTriangle />}
          title="We could not verify the business"
          role="status"
        >
          {rejectionReason}
        </Alert>
      )}
      <SubmittedFacts verification={verification} withFacts={!isOpen || role === 'member'} />
      {isOpen && role === 'owner' && <VerificationForm key={state} verification={verification} />}
      {isOpen && role === 'member' && (
        <Text size="sm" c="dimmed">
          Only owners of the business can hand in its legal facts.
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
  /** False where the form beneath shows them. */
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
              ['Number in the register', registrationNumber],
              ['Country', countryName(country)],
            ] as const)
          : []),
        ['Handed in', <Timestamp key="submitted" at={submittedAt} />],
        ...(decidedAt === null ? [] : [[decided, <Timestamp key="decided" at={decidedAt} />] as const]),
      ]}
    />
  );
}
