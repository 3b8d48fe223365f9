import { Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { formFaults } from '../../api/form-faults.ts';
import { ScopeChoice } from '../../parts/scope-choice.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { useFocusOnFault } from '../../parts/use-focus-on-fault.ts';
import type { KeyDraft } from './key-draft.ts';
import { expiryOf } from './lifetime.ts';
import { LifetimeChoice } from './lifetime-choice.tsx';
import { NewKeyButtons } from './new-key-buttons.tsx';
import { tryCommand } from './try-command.ts';
import { TypeChoice } from './type-choice.tsx';
import { useCreateKey } from './use-create-key.ts';

/** Asks for everything that a key is made of, and shows the key once it is there. */
export function NewKeyForm({ draft }: { readonly draft: KeyDraft }) {
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
