import { NumberInput, Text } from '@mantine/core';
import { api, unwrap } from '../../api/client.ts';
import { pluralize } from '../../components/format.ts';
import { useBusiness } from '../../shell/session-context.ts';
import { describeRule, type KeyLifetime, useKeyLifetime, useUnmetKeys } from '../keys/key-lifetime.ts';
import { type Option, OptionsField, SettingPanel } from './setting-panel.tsx';

const options: readonly Option<KeyLifetime['rule']>[] = [
  {
    value: 'off',
    label: 'Expiration is optional',
    description: 'A new key can work until it is deleted.',
  },
  {
    value: 'any_end',
    label: 'Expiration is required',
    description: 'Each new key has an expiration date, which can be years away.',
  },
  {
    value: 'at_most',
    label: 'Lifetime is limited',
    description: 'Each new key expires after the number of days that you enter, or earlier.',
  },
];

const maxLifetimeDays = 3_650;

/** Days that the form offers first. */
const offeredDays = 90;

const isComplete = ({ rule, maxDays }: KeyLifetime): boolean =>
  rule !== 'at_most' || (maxDays !== null && maxDays >= 1 && maxDays <= maxLifetimeDays);

/** How long new API keys can last. */
export function KeyLifetimePanel() {
  const { id: businessId } = useBusiness();
  const path = '/businesses/{businessId}/key-lifetime';
  return (
    <SettingPanel<KeyLifetime>
      title="Lifetime of API keys"
      description="How long new keys can work before they expire, whether an owner or a developer creates them. Existing keys stay as they are."
      query={useKeyLifetime()}
      queryKey="key-lifetime"
      save={(body) => unwrap(api.PUT(path, { params: { path: { businessId } }, body }))}
      isValid={isComplete}
      text={(rule) => (
        <>
          {describeRule(rule) ?? 'Expiration is optional: a new key can work until it is deleted.'}{' '}
          <UnmetKeys rule={rule} />
        </>
      )}
    >
      {(values, change) => (
        <>
          <OptionsField
            label="Lifetime of new keys"
            options={options}
            value={values.rule}
            onChange={(rule) => change({ rule, maxDays: rule === 'at_most' ? offeredDays : null })}
          />
          {values.rule === 'at_most' && (
            <NumberInput
              label="Days"
              required
              w="10rem"
              min={1}
              max={maxLifetimeDays}
              allowDecimal={false}
              allowNegative={false}
              clampBehavior="none"
              value={values.maxDays ?? ''}
              onChange={(days) => change({ maxDays: typeof days === 'number' ? days : null })}
              error={isComplete(values) ? null : 'Enter 1 to 3,650 days.'}
            />
          )}
          {isComplete(values) && <UnmetKeys rule={values} />}
        </>
      )}
    </SettingPanel>
  );
}

/** Number of existing keys that do not meet a rule. */
function UnmetKeys({ rule }: { readonly rule: KeyLifetime }) {
  const { data } = useUnmetKeys(rule, rule.rule !== 'off');
  if (rule.rule === 'off' || data === undefined) return null;
  return (
    <Text span size="sm" role="status">
      {data === 0
        ? 'All existing keys meet this rule.'
        : `${pluralize(data, 'existing key')} ${data === 1 ? 'does' : 'do'} not meet this rule. ${data === 1 ? 'It keeps' : 'They keep'} working.`}
    </Text>
  );
}
