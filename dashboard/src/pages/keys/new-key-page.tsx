import { Anchor, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { ApiError, fieldErrors } from '../../api/errors.ts';
import { SecretDialog } from '../../components/copy.tsx';
import { useFocusOnError } from '../../components/hooks.ts';
import { ScopeField } from '../../components/scopes.tsx';
import { ErrorAlert, Loaded } from '../../components/states.tsx';
import { BackLink, PageHeader } from '../../shell/page-header.tsx';
import { useApiKey } from './api.ts';
import {
  duplicate,
  duplicateAsRestricted,
  emptyValues,
  expirationTime,
  type KeyFormValues,
  tryCommand,
} from './form-values.ts';
import { KeyTypeField, LifetimeField } from './key-fields.tsx';
import { useCreateKey } from './mutations.ts';

/** The end of the form: why it did not work, and the buttons. */
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
      <ErrorAlert error={error} />
      {error instanceof ApiError && error.isTransient && (
        <Text size="sm" c="dimmed">
          The key may have been made all the same. Look at{' '}
          <Anchor component={Link} href="/developers/keys" inherit underline="always">
            your keys
          </Anchor>{' '}
          before you try again: one whose string nobody has seen can be deleted.
        </Text>
      )}
      <Group gap="sm">
        <Button type="submit" loading={isPending || isSuccess}>
          Create key
        </Button>
        <Button component={Link} href="/developers/keys" variant="default">
          Cancel
        </Button>
      </Group>
    </Stack>
  );
}

/** Asks for everything that a key is made of, and shows the key once it is there. */
function NewKeyForm({ draft }: { readonly draft: KeyFormValues }) {
  const [, navigate] = useLocation();
  const form = useForm<KeyFormValues>({
    initialValues: draft,
    validate: validate,
    validateInputOnBlur: ['name'],
  });
  const [refusal, setRefusal] = useState<object | null>(null);
  const element = useFocusOnError(refusal);
  const { mutation, create } = useCreateKey((error) => {
    const { expiresAt, ...faults } = fieldErrors(error);
    form.setErrors({ ...faults, ...(expiresAt !== undefined && { lifetime: expiresAt }) });
    setRefusal(error);
  });
  const submit = (filled: KeyFormValues) => {
    const expiresAt = expirationTime(filled.lifetime, filled.date, Date.now());
    if (expiresAt !== undefined) create({ draft: filled, expiresAt });
  };
  const created = mutation.data;
  return (
    <>
      <form ref={element} onSubmit={form.onSubmit(submit, setRefusal)} noValidate>
        <Stack gap="xl" maw="46rem">
          <TextInput
            label="Name"
            description="What will use the key, such as “Web shop, production”."
            required
            autoComplete="off"
            {...form.getInputProps('name')}
          />
          <Textarea
            label="Description"
            description="Optional; for you and your team."
            autosize
            minRows={2}
            {...form.getInputProps('description')}
          />
          <KeyTypeField {...form.getInputProps('keyType')} />
          {form.values.keyType === 'restricted' && (
            <ScopeField
              description="Choose as few as the program needs. They can be changed at any time."
              {...form.getInputProps('scopes')}
            />
          )}
          <LifetimeField lifetime={form.getInputProps('lifetime')} date={form.getInputProps('date')} />
          <NewKeyButtons mutation={mutation} />
        </Stack>
      </form>
      <SecretDialog
        title="Your new API key"
        what="the key"
        secret={created?.keyString}
        curl={created && tryCommand(created.apiKey, created.keyString)}
        onClose={() => navigate(`/developers/keys/${created?.apiKey.id}`)}
      />
    </>
  );
}

/** What can be seen to be missing before anybody is asked. The server has the last word. */
function validate({ name, keyType, scopes, lifetime, date }: KeyFormValues) {
  return {
    name: name.trim() === '' ? 'Give the key a name.' : null,
    scopes: keyType === 'restricted' && scopes.length === 0 ? 'Choose at least one permission.' : null,
    date: expirationTime(lifetime, date, Date.now()) === undefined ? 'Choose a day from today on.' : null,
  };
}

/** A new key; `?from=key_…` makes it a second one with the same settings, `&restrict` a restricted one. */
export default function NewKeyPage() {
  const [parameters] = useSearchParams();
  const from = parameters.get('from');
  const description =
    from === null
      ? 'Give each program a key of its own: then you can see what it does, and end it without touching the others.'
      : 'Filled in with the settings of the key you came from. Change what you like.';
  return (
    <>
      <PageHeader
        title={from === null ? 'Create an API key' : 'Create a second key'}
        description={description}
        back={<BackLink href="/developers/keys">API keys</BackLink>}
      />
      {from === null ? (
        <NewKeyForm draft={emptyValues} />
      ) : (
        <SecondKeyForm key={from} from={from} restrict={parameters.has('restrict')} />
      )}
    </>
  );
}

export function SecondKeyForm({ from, restrict }: { readonly from: string; readonly restrict: boolean }) {
  const query = useApiKey(from);
  return (
    <Loaded query={query}>
      {(key) => (
        <NewKeyForm draft={restrict ? duplicateAsRestricted(key, Date.now()) : duplicate(key, Date.now())} />
      )}
    </Loaded>
  );
}
