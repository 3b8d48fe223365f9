import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMemo, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { ApiError, fieldErrors } from '../../api/errors.ts';
import { useScopes } from '../../api/session.ts';
import { useFocusOnError } from '../../components/hooks.ts';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { ErrorAlert, Loaded } from '../../components/states.tsx';
import { NotForViewers } from '../../components/viewer-note.tsx';
import { BackLink, PageHeader } from '../../shell/page-header.tsx';
import { useMayChange } from '../../shell/session-context.ts';
import { IdentityDialog, needsIdentity } from '../profile/identity-dialog.tsx';
import { useApiKey } from './api.ts';
import {
  askedValues,
  duplicate,
  duplicateAsRestricted,
  expirationTime,
  type KeyFormValues,
  ofApi,
  tryCommand,
} from './form-values.ts';
import { KeyTypeField, LifetimeField, newKeyHints, SettingsFields } from './key-fields.tsx';
import { dateError, type KeyLifetime, permitted, useKeyLifetime } from './key-lifetime.ts';
import { useOwnKeyRules } from './member-rules.ts';
import { useCreateKey } from './mutations.ts';
import { type Pairing, readPairing } from './pairing.ts';
import { PairingCode, SendToProgram } from './send-to-program.tsx';

/** Error and buttons of the form. */
function NewKeyButtons({
  mutation,
}: {
  readonly mutation: {
    readonly isPending: boolean;
    readonly isSuccess: boolean;
    readonly error: Error | null;
  };
}) {
  const { isPending, isSuccess, error } = mutation;
  return (
    <Stack gap="md">
      <ErrorAlert error={needsIdentity(error) ? null : error} />
      {error instanceof ApiError && error.isTransient && (
        <Text size="sm" c="dimmed">
          The key may have been created anyway. Check{' '}
          <Anchor component={Link} href="/settings/developers/keys" inherit underline="always">
            your keys
          </Anchor>{' '}
          before you try again, and delete it if you have not seen its string.
        </Text>
      )}
      <Group gap="sm">
        <Button type="submit" loading={isPending || isSuccess}>
          Create key
        </Button>
        <Button component={Link} href="/settings/developers/keys" variant="default" disabled={isPending}>
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}

/** Creates a key, then shows its string once. */
function NewKeyForm({
  rule,
  initialValues,
  pairing,
}: {
  readonly rule: KeyLifetime;
  readonly initialValues: KeyFormValues;
  /** The program that asks for the key. */
  readonly pairing?: Pairing | undefined;
}) {
  const [, navigate] = useLocation();
  const form = useForm<KeyFormValues>({
    initialValues: permitted(rule, initialValues, Date.now()),
    validate: (values) => validate(values, rule),
    validateInputOnBlur: ['name'],
  });
  const rules = useOwnKeyRules();
  const [submitError, setSubmitError] = useState<object | null>(null);
  const formRef = useFocusOnError(submitError);
  const { mutation, create } = useCreateKey((error) => {
    const { expiresAt, ...errors } = fieldErrors(error);
    form.setErrors({ ...errors, ...(expiresAt !== undefined && { lifetime: expiresAt }) });
    setSubmitError(error);
  });
  const submit = (values: KeyFormValues) => {
    const expiresAt = expirationTime(values.lifetime, values.date, Date.now());
    if (expiresAt !== undefined) create({ values, expiresAt });
  };
  const created = mutation.data;
  return (
    <>
      <form ref={formRef} onSubmit={form.onSubmit(submit, setSubmitError)} noValidate>
        <Stack gap="xl" maw="46rem">
          <SettingsFields
            propsOf={(field) => form.getInputProps(field)}
            hints={newKeyHints}
            hasScopes={form.values.keyType === 'restricted'}
            allowedScopes={rules?.secretKeys ? undefined : rules?.scopes}
          >
            <KeyTypeField
              {...form.getInputProps('keyType')}
              hasSecret={rules === undefined || rules.secretKeys}
            />
          </SettingsFields>
          <LifetimeField
            rule={rule}
            lifetime={form.getInputProps('lifetime')}
            date={form.getInputProps('date')}
          />
          <NewKeyButtons mutation={mutation} />
        </Stack>
      </form>
      <IdentityDialog
        error={mutation.error}
        onConfirmed={() => form.onSubmit(submit, setSubmitError)()}
        onCancel={mutation.reset}
      />
      <SecretDialog
        title="Your new API key"
        what="the key"
        secret={created?.keyString}
        curl={created && tryCommand(created.apiKey, created.keyString)}
        onClose={() => navigate(`/settings/developers/keys/${created?.apiKey.id}`)}
      >
        {pairing !== undefined && created !== undefined && (
          <SendToProgram pairing={pairing} secret={created.keyString} />
        )}
      </SecretDialog>
    </>
  );
}

/** Required fields and the date. Everything else is validated by the server. */
function validate({ name, keyType, scopes, lifetime, date }: KeyFormValues, rule: KeyLifetime) {
  return {
    name: name.trim() === '' ? 'Enter a name.' : null,
    scopes: keyType === 'restricted' && scopes.length === 0 ? 'Select at least one permission.' : null,
    date: dateError(rule, { lifetime, date }, Date.now()),
  };
}

const descriptions = {
  asked: 'Filled in by the program that sent you here. Give the key to no other.',
  empty: 'Create one key per program, so that you can monitor and revoke each on its own.',
  second: 'Prefilled with the settings of the existing key.',
};

/** Creates a key; with `?name=…&scopes=…&pair=…` as a program asks for; with `?from=key_…` a second one with the same settings, with `&restrict` a restricted one. */
export default function NewKeyPage() {
  const [parameters] = useSearchParams();
  const from = parameters.get('from');
  const mayChange = useMayChange();
  const lifetime = useKeyLifetime();
  const pairing = useMemo(() => readPairing(parameters.get('pair')), [parameters]);
  const isAsked = parameters.has('name') || parameters.has('scopes');
  const description = from !== null ? descriptions.second : descriptions[isAsked ? 'asked' : 'empty'];
  return (
    <>
      <PageHeader
        title={from === null ? 'Create an API key' : 'Create a second key'}
        description={description}
        back={<BackLink href="/settings/developers/keys">API Keys</BackLink>}
      />
      {!mayChange ? (
        <NotForViewers>create API keys</NotForViewers>
      ) : from === null ? (
        <>
          {pairing !== undefined && <PairingCode pairing={pairing} />}
          <Loaded query={lifetime}>
            {(rule) => <NewKeyForm rule={rule} initialValues={askedValues(parameters)} pairing={pairing} />}
          </Loaded>
        </>
      ) : (
        <Loaded query={lifetime}>
          {(rule) => (
            <SecondKeyForm key={from} rule={rule} from={from} restrict={parameters.has('restrict')} />
          )}
        </Loaded>
      )}
    </>
  );
}

function SecondKeyForm({
  rule,
  from,
  restrict,
}: {
  readonly rule: KeyLifetime;
  readonly from: string;
  readonly restrict: boolean;
}) {
  const query = useApiKey(from);
  const scopes = useScopes();
  const copy = restrict ? duplicateAsRestricted : duplicate;
  return (
    <Loaded query={query}>
      {(key) => (
        <Loaded query={scopes}>
          {(known) => <NewKeyForm rule={rule} initialValues={ofApi(known, copy(key, Date.now()))} />}
        </Loaded>
      )}
    </Loaded>
  );
}
