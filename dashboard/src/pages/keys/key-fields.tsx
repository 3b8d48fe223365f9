import { Badge, Group, Radio, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import type { ChangeEvent, ReactNode } from 'react';
import type { Scope } from '../../api/session.ts';
import { ScopeField } from '../../components/scopes.tsx';
import {
  expirationTime,
  type KeySettings,
  keyTypes,
  type Lifetime,
  lifetimes,
  toDateInput,
} from './form-values.ts';
import { describeRule, type KeyLifetime, lastDay, permits } from './key-lifetime.ts';
import classes from './keys.module.css';
import { KeyWhitelistField } from './whitelist.tsx';

interface Field<Value, Change> {
  readonly value?: Value;
  readonly onChange?: Change;
  readonly error?: ReactNode;
}

type Hints = { readonly [Setting in keyof KeySettings]?: string };

/** Hints below the labels of a new key's settings. */
export const newKeyHints: Hints = {
  name: 'The program that uses the key, such as “Web shop, production”.',
  description: 'Optional. Visible to your team.',
  scopes: 'Select only what the program needs. You can change this at any time.',
};

/** Controls of the settings. `children`, the control of the type, stand before the scopes. */
export function SettingsFields({
  propsOf,
  hints,
  hasScopes,
  hasWhitelist = true,
  allowedScopes,
  apiKeyId,
  children,
}: {
  /** Props of a setting's input. */
  readonly propsOf: (setting: keyof KeySettings) => object;
  readonly hints: Hints;
  /** Whether scopes can be chosen. */
  readonly hasScopes: boolean;
  /** Whether addresses can be chosen. */
  readonly hasWhitelist?: boolean;
  /** Scopes that the person may choose; all where absent. */
  readonly allowedScopes?: readonly Scope[] | undefined;
  /** Undefined for a new key. */
  readonly apiKeyId?: string;
  readonly children?: ReactNode;
}) {
  return (
    <>
      <TextInput
        label="Name"
        description={hints.name}
        required
        autoComplete="off"
        data-autofocus
        {...propsOf('name')}
      />
      <Textarea
        label="Description"
        description={hints.description}
        autosize
        minRows={2}
        {...propsOf('description')}
      />
      {children}
      {hasScopes && <ScopeField description={hints.scopes} allowed={allowedScopes} {...propsOf('scopes')} />}
      {hasWhitelist && <KeyWhitelistField apiKeyId={apiKeyId} {...propsOf('ipWhitelist')} />}
    </>
  );
}

const expirationFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' });

/** Selects the lifetime of a key, among those that the rule of the business permits. */
export function LifetimeField({
  rule,
  lifetime,
  date,
}: {
  readonly rule: KeyLifetime;
  readonly lifetime: Field<Lifetime, (value: string) => void>;
  readonly date: Field<string, (event: ChangeEvent<HTMLInputElement>) => void>;
}) {
  return (
    <Radio.Group
      label="Expires after"
      description="Cannot be changed later. A second key can replace this one without an outage."
      {...lifetime}
    >
      <Stack gap="sm" mt="xs" align="flex-start">
        <Group gap="xs">
          {lifetimes.map(({ value, label }) => (
            <Radio.Card
              key={value}
              value={value}
              className={classes.chip ?? ''}
              disabled={!permits(rule, value)}
            >
              <Group gap="xs" wrap="nowrap">
                <Radio.Indicator size="xs" />
                <Text size="sm">{label}</Text>
              </Group>
            </Radio.Card>
          ))}
        </Group>
        {lifetime.value === 'date' && (
          <TextInput
            type="date"
            label="Last day"
            required
            min={toDateInput(Date.now())}
            max={lastDay(rule, Date.now())}
            {...date}
          />
        )}
        {rule.rule !== 'off' && <Text size="sm">{describeRule(rule)}</Text>}
        <Text size="sm" c="dimmed" role="status">
          {describeExpiration(lifetime.value ?? 'never', date.value ?? '')}
        </Text>
      </Stack>
    </Radio.Group>
  );
}

function describeExpiration(lifetime: Lifetime, date: string): string {
  const end = expirationTime(lifetime, date, Date.now());
  if (end === undefined) return '';
  if (end === null) return 'The key does not expire. For temporary use, set an expiration.';
  return `The key expires on ${expirationFormat.format(end)}, your time.`;
}

/** Selects the type of a key. */
export function KeyTypeField({
  hasSecret,
  ...field
}: {
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  readonly error?: React.ReactNode;
  /** Whether the person may create secret keys. */
  readonly hasSecret: boolean;
}) {
  return (
    <Radio.Group label="Type" description="Cannot be changed later." required {...field}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
        {keyTypes.map(({ type, label, summary: short, description: explanation }) => (
          <Radio.Card
            key={type}
            value={type}
            className={classes.choice ?? ''}
            aria-label={`${label}. ${short}`}
            disabled={type === 'secret' && !hasSecret}
          >
            <Group wrap="nowrap" align="flex-start" gap="sm">
              <Radio.Indicator />
              <div>
                <Group gap="xs">
                  <Text size="sm" fw={600}>
                    {label}
                  </Text>
                  {type === 'restricted' && (
                    <Badge variant="light" size="sm" radius="sm" tt="none">
                      Recommended
                    </Badge>
                  )}
                </Group>
                <Text size="sm" mt={4}>
                  {short}
                </Text>
                <Text size="sm" c="dimmed" mt={4}>
                  {type === 'secret' && !hasSecret ? 'Only owners can create secret keys.' : explanation}
                </Text>
              </div>
            </Group>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}
