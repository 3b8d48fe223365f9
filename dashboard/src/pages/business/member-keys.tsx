import { Button, Code, Group, Stack, Switch, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect } from 'react';
import { Panel } from '../../components/panel.tsx';
import { ScopeField } from '../../components/scopes.tsx';
import { ErrorAlert, Loaded } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import {
  type MemberKeyRules,
  rulesChange,
  useChangeMemberKeyRules,
  useMemberKeyRules,
} from '../keys/member-rules.ts';

/** Which API keys developers can create; owners choose. */
export function MemberKeysPanel() {
  const { role } = useBusiness();
  const query = useMemberKeyRules();
  return (
    <Panel
      title="API keys of developers"
      description="Which keys developers can create and rotate. Existing keys are not changed."
    >
      <Loaded query={query}>
        {(rules) => (role === 'owner' ? <RulesForm rules={rules} /> : <RulesText rules={rules} />)}
      </Loaded>
    </Panel>
  );
}

function RulesForm({ rules }: { readonly rules: MemberKeyRules }) {
  const form = useForm<MemberKeyRules>({ initialValues: rules });
  const saving = useChangeMemberKeyRules();
  const show = (latest: MemberKeyRules) => {
    form.setInitialValues(latest);
    form.setValues(latest);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: shows changes made elsewhere, unless there are unsaved ones
  useEffect(() => {
    if (!form.isDirty()) show(rules);
  }, [rules]);
  const save = (values: MemberKeyRules) =>
    saving.mutate(rulesChange(form.getInitialValues(), values), {
      onSuccess: (saved) => {
        show(saved);
        toast('Changes saved.');
      },
    });
  return (
    <form onSubmit={form.onSubmit(save)} noValidate>
      <Stack gap="md" align="flex-start">
        <Switch
          size="md"
          label="Developers can create secret keys"
          description="A secret key can do everything the API offers for your business."
          {...form.getInputProps('secretKeys', { type: 'checkbox' })}
        />
        {!form.values.secretKeys && (
          <ScopeField
            isRequired={false}
            description="The most that restricted keys of developers can do. If none is selected, developers cannot create keys."
            {...form.getInputProps('scopes')}
          />
        )}
        <ErrorAlert error={saving.error} shown={[]} />
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function RulesText({ rules: { secretKeys, scopes } }: { readonly rules: MemberKeyRules }) {
  if (secretKeys) return <Text size="sm">Developers can create secret keys and restricted keys.</Text>;
  if (scopes.length === 0) return <Text size="sm">Only owners can create keys.</Text>;
  return (
    <Text size="sm">
      Developers can create restricted keys with{' '}
      {scopes.map((scope, index) => (
        <span key={scope}>
          {index > 0 && ', '}
          <Code fz="xs">{scope}</Code>
        </span>
      ))}
      . Only owners can change this.
    </Text>
  );
}
