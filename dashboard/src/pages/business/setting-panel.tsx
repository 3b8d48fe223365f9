import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { type UseQueryResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { businessKey } from '../../api/queries.ts';
import { changedValues } from '../../components/changed-values.ts';
import { Panel } from '../../components/panel.tsx';
import { ErrorAlert, Loaded, LoadingRows } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';

interface SettingFormProps<Setting> {
  /** Of its query, after the business. */
  readonly queryKey: string;
  /** Sends the change of a person. @param initial with what the person began. Resolves to what is stored. */
  readonly save: (values: Setting, initial: Setting) => Promise<Setting>;
  readonly isValid?: (values: Setting) => boolean;
  /** The controls. */
  readonly children: (values: Setting, change: (part: Partial<Setting>) => void) => ReactNode;
}

interface SettingPanelProps<Setting> extends SettingFormProps<Setting> {
  readonly title: string;
  readonly description: string;
  readonly query: UseQueryResult<Setting>;
  /** The setting in words, for people who cannot change it. */
  readonly text: (setting: Setting) => ReactNode;
}

/** A setting of the business: owners change it, others read it. */
export function SettingPanel<Setting extends object>({
  title,
  description,
  query,
  text,
  ...form
}: SettingPanelProps<Setting>) {
  const { role } = useBusiness();
  return (
    <Panel title={title} description={description}>
      <Loaded query={query} loading={<LoadingRows rows={3} />}>
        {(stored) =>
          role === 'owner' ? (
            <SettingForm stored={stored} {...form} />
          ) : (
            <Stack gap="xs">
              <Text size="sm">{text(stored)}</Text>
              <Text size="sm" c="dimmed">
                Only owners can change this.
              </Text>
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  );
}

function SettingForm<Setting extends object>({
  stored,
  queryKey,
  save,
  isValid = () => true,
  children,
}: SettingFormProps<Setting> & { readonly stored: Setting }) {
  const { id: businessId } = useBusiness();
  const client = useQueryClient();
  // Undefined without an edit, so that changes made elsewhere are shown.
  const [draft, setDraft] = useState<{ readonly initial: Setting; readonly values: Setting }>();
  const { initial, values } = draft ?? { initial: stored, values: stored };
  const change = (part: Partial<Setting>) => {
    const next = { ...values, ...part };
    const isChanged = Object.keys(changedValues(initial, next)).length > 0;
    setDraft(isChanged ? { initial, values: next } : undefined);
  };
  const saving = useMutation({
    mutationFn: () => save(values, initial),
    onSuccess: (saved) => {
      client.setQueryData(businessKey(businessId, queryKey), saved);
      setDraft(undefined);
      toast('Changes saved.');
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Stack gap="md" align="flex-start">
        {children(values, change)}
        <ErrorAlert error={saving.error} shown={[]} />
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={draft === undefined || !isValid(values)}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** One of several options, each with what it means. */
export interface Option<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly description: string;
}

/** Selects one of several options. */
export function OptionsField<Value extends string>({
  label,
  options,
  value,
  onChange,
}: {
  readonly label: string;
  readonly options: readonly Option<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}) {
  return (
    <Radio.Group aria-label={label} value={value}>
      <Stack gap="sm">
        {options.map((option) => (
          <Radio key={option.value} {...option} onChange={() => onChange(option.value)} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
