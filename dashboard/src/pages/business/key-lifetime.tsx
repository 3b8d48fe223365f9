import { Button, Group, NumberInput, Radio, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect } from 'react';
import { fieldErrors } from '../../api/errors.ts';
import { pluralize } from '../../components/format.ts';
import { useFocusOnError } from '../../components/hooks.ts';
import { Panel } from '../../components/panel.tsx';
import { ErrorAlert, Loaded } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import { useBusiness } from '../../shell/session-context.ts';
import {
  describeRule,
  type KeyLifetime,
  useKeyLifetime,
  useSetKeyLifetime,
  useUnmetKeys,
} from '../keys/key-lifetime.ts';

const maxLifetimeDays = 3_650;

/** Days that the form offers first. */
const offeredDays = 90;

/** How long new API keys may last; owners choose. */
export function KeyLifetimePanel() {
  const { role } = useBusiness();
  const query = useKeyLifetime();
  return (
    <Panel
      title="Lifetime of API keys"
      description="Whether new keys need an end, for owners and developers alike. Existing keys keep working."
    >
      <Loaded query={query}>
        {(rule) => (role === 'owner' ? <RuleForm rule={rule} /> : <RuleText rule={rule} />)}
      </Loaded>
    </Panel>
  );
}

interface RuleValues {
  readonly rule: KeyLifetime['rule'];
  /** Also while another rule is chosen; a text while it is no number. */
  readonly days: number | string;
}

const toValues = ({ rule, maxDays }: KeyLifetime): RuleValues => ({ rule, days: maxDays ?? offeredDays });

const toRule = ({ rule, days }: RuleValues): KeyLifetime => ({
  rule,
  maxDays: rule === 'at_most' ? Number(days) : null,
});

function validate({ rule, days }: RuleValues) {
  const isValid = Number.isInteger(days) && Number(days) >= 1 && Number(days) <= maxLifetimeDays;
  return { days: rule === 'at_most' && !isValid ? 'Enter 1 to 3,650 days.' : null };
}

function RuleForm({ rule }: { readonly rule: KeyLifetime }) {
  const form = useForm<RuleValues>({ initialValues: toValues(rule), validate });
  const saving = useSetKeyLifetime();
  const formRef = useFocusOnError(saving.error);
  const show = (latest: KeyLifetime) => {
    form.setInitialValues(toValues(latest));
    form.setValues(toValues(latest));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: shows changes made elsewhere, unless there are unsaved ones
  useEffect(() => {
    if (!form.isDirty()) show(rule);
  }, [rule]);
  const save = (values: RuleValues) =>
    saving.mutate(toRule(values), {
      onSuccess: (saved) => {
        show(saved);
        toast('Changes saved.');
      },
      onError: (error) => form.setErrors({ days: fieldErrors(error).maxDays }),
    });
  const isComplete = validate(form.values).days === null;
  return (
    <form ref={formRef} onSubmit={form.onSubmit(save)} noValidate>
      <Stack gap="md" align="flex-start">
        <Radio.Group aria-label="Lifetime of new keys" {...form.getInputProps('rule')}>
          <Stack gap="sm">
            <Radio value="off" label="Keys may last without an end" />
            <Radio value="any_end" label="Every new key must have an end" />
            <Radio value="at_most" label="At most a number of days" />
          </Stack>
        </Radio.Group>
        {form.values.rule === 'at_most' && (
          <NumberInput
            label="Days"
            required
            w="10rem"
            min={1}
            max={maxLifetimeDays}
            allowDecimal={false}
            clampBehavior="none"
            {...form.getInputProps('days')}
          />
        )}
        {isComplete && <UnmetKeys rule={toRule(form.values)} />}
        <ErrorAlert error={saving.error} shown={['maxDays']} />
        <Group>
          <Button type="submit" loading={saving.isPending} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Number of existing keys that do not meet a rule. */
function UnmetKeys({ rule }: { readonly rule: KeyLifetime }) {
  const { data } = useUnmetKeys(rule, rule.rule !== 'off');
  if (rule.rule === 'off' || data === undefined) return null;
  return (
    <Text size="sm" role="status">
      {data === 0
        ? 'All existing keys meet this rule.'
        : `${pluralize(data, 'existing key')} ${data === 1 ? 'does' : 'do'} not meet this rule. ${data === 1 ? 'It keeps' : 'They keep'} working.`}
    </Text>
  );
}

function RuleText({ rule }: { readonly rule: KeyLifetime }) {
  return (
    <>
      <Text size="sm">
        {describeRule(rule) ?? 'New keys may last without an end.'} Only owners can change this.
      </Text>
      <UnmetKeys rule={rule} />
    </>
  );
}
