import { Anchor, Button, Group, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ChangeEvent, type ReactNode, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { ApiError } from '../../api/client.ts';
import { formFaults } from '../../api/form-faults.ts';
import { SecretOnce } from '../../parts/copy.tsx';
import { useFocusOnFault } from '../../parts/hooks.ts';
import { ScopeChoice } from '../../parts/labels.tsx';
import { BackLink, PageHeader } from '../../parts/panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { ActionError } from '../../parts/toast.tsx';
import { useApiKey } from './api.ts';
import {
  copyOf,
  dateOf,
  expiryOf,
  type KeyDraft,
  type Lifetime,
  lifetimes,
  newDraft,
  restrictedCopyOf,
  tryCommand,
} from './draft.ts';
import classes from './keys.module.css';
import { useCreateKey } from './mutations.ts';
import { TypeChoice } from './type-choice.tsx';

interface Field<Value, Change> {
  readonly value?: Value;
  readonly onChange?: Change;
  readonly error?: ReactNode;
}

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' });

/** Chooses when a key ends. */
function LifetimeChoice({
  lifetime,
  date,
}: {
  readonly lifetime: Field<Lifetime, (value: string) => void>;
  readonly date: Field<string, (event: ChangeEvent<HTMLInputElement>) => void>;
}) {
  return (
    <Radio.Group
      label="Expires after"
      description="Cannot be changed later. A second key can take over without an outage when this one ends."
      {...lifetime}
    >
      <Stack gap="sm" mt="xs" align="flex-start">
        <Group gap="xs">
          {lifetimes.map(({ value, label }) => (
            <Radio.Card key={value} value={value} className={classes.chip ?? ''}>
              <Group gap="xs" wrap="nowrap">
                <Radio.Indicator size="xs" />
                <Text size="sm">{label}</Text>
              </Group>
            </Radio.Card>
          ))}
        </Group>
        {lifetime.value === 'date' && (
          <TextInput type="date" label="Last day" required min={dateOf(Date.now())} {...date} />
        )}
        <Text size="sm" c="dimmed" role="status">
          {endInWords(lifetime.value ?? 'never', date.value ?? '')}
        </Text>
      </Stack>
    </Radio.Group>
  );
}

function endInWords(lifetime: Lifetime, date: string): string {
  const end = expiryOf(lifetime, date, Date.now());
  if (end === undefined) return '';
  if (end === null) return 'It works until somebody deletes it. For anything temporary, choose an end.';
  return `It stops working on ${exact.format(end)}, your time.`;
}

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
      <ActionError error={error} />
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
function NewKeyForm({ draft }: { readonly draft: KeyDraft }) {
  const [, navigate] = useLocation();
  const form = useForm<KeyDraft>({ initialValues: draft, validate: faultsOf, validateInputOnBlur: ['name'] });
  const [refusal, setRefusal] = useState<object | null>(null);
  const element = useFocusOnFault(refusal);
  const { mutation, create } = useCreateKey((error) => {
    const { expiresAt, ...faults } = formFaults(error);
    form.setErrors({ ...faults, ...(expiresAt !== undefined && { lifetime: expiresAt }) });
    setRefusal(error);
  });
  const submit = (filled: KeyDraft) => {
    const expiresAt = expiryOf(filled.lifetime, filled.date, Date.now());
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
          <TypeChoice {...form.getInputProps('keyType')} />
          {form.values.keyType === 'restricted' && (
            <ScopeChoice
              description="Choose as few as the program needs. They can be changed at any time."
              {...form.getInputProps('scopes')}
            />
          )}
          <LifetimeChoice lifetime={form.getInputProps('lifetime')} date={form.getInputProps('date')} />
          <NewKeyButtons mutation={mutation} />
        </Stack>
      </form>
      <SecretOnce
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
function faultsOf({ name, keyType, scopes, lifetime, date }: KeyDraft) {
  return {
    name: name.trim() === '' ? 'Give the key a name.' : null,
    scopes: keyType === 'restricted' && scopes.length === 0 ? 'Choose at least one permission.' : null,
    date: expiryOf(lifetime, date, Date.now()) === undefined ? 'Choose a day from today on.' : null,
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
        <NewKeyForm draft={newDraft} />
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
      {(key) => <NewKeyForm draft={restrict ? restrictedCopyOf(key, Date.now()) : copyOf(key, Date.now())} />}
    </Loaded>
  );
}
