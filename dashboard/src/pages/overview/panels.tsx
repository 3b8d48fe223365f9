import { Anchor, Progress, Text } from '@mantine/core';
import { Link } from 'wouter';
import { CredentialName } from '../../components/credential-name.tsx';
import { formatNumber } from '../../components/format.ts';
import { Panel } from '../../components/panel.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { type UsageHour, usagePoints, usageRanges } from '../../components/usage-chart/usage.ts';
import {
  UsageChart,
  UsageNumbers,
  UsageRangePicker,
  type UsageSelection,
  useShownSelection,
} from '../../components/usage-chart/usage-panel.tsx';
import classes from './overview.module.css';
import {
  type CallerUse,
  type EndingKey,
  formatPercent,
  type LimitUse,
  totalsOf,
  type UsageTotals,
} from './overview.ts';

/** API keys and apps with the most requests. */
export function BusiestCredentials({ uses }: { readonly uses: readonly CallerUse[] }) {
  return (
    <Panel title="Busiest keys and apps">
      {uses.length === 0 ? (
        <Text size="sm" c="dimmed">
          No requests in this period.
        </Text>
      ) : (
        <Rows>
          {uses.map((use) => (
            <Row key={use.caller.id} end={<RequestCount use={use} />}>
              <CredentialName credential={use.caller} />
            </Row>
          ))}
        </Rows>
      )}
    </Panel>
  );
}

function RequestCount({ use }: { readonly use: CallerUse }) {
  return (
    <div className={classes.figure}>
      <Text size="sm" fw={600}>
        {formatNumber(use.requests)}
      </Text>
      <Text size="xs" c="dimmed">
        {errorsOf(use)}
      </Text>
    </div>
  );
}

function errorsOf({ requests, refused, failed }: CallerUse): string {
  return refused + failed === 0 ? 'no errors' : `${formatPercent(refused + failed, requests)} errors`;
}

/** API keys and apps that are close to their rate limit. */
export function KeysNearLimit({ limits }: { readonly limits: readonly LimitUse[] }) {
  return (
    <Panel title="Close to the rate limit">
      {limits.length === 0 ? (
        <Text size="sm" c="dimmed">
          Every key and app has more than 20% of its limit left.
        </Text>
      ) : (
        <Rows>
          {limits.map((use) => (
            <Row key={use.caller.id} end={<RemainingRequests use={use} />}>
              <CredentialName credential={use.caller} />
            </Row>
          ))}
        </Rows>
      )}
    </Panel>
  );
}

function RemainingRequests({ use: { limit, used, left } }: { readonly use: LimitUse }) {
  return (
    <div className={classes.figure}>
      <Text
        size="sm"
        fw={600}
        c={left === 0 ? 'var(--mantine-color-error)' : 'var(--mantine-color-yellow-light-color)'}
      >
        {left === 0 ? 'None left' : `${formatNumber(left)} left`}
      </Text>
      <Text size="xs" c="dimmed">
        of {formatNumber(limit)} per hour
      </Text>
      <Progress
        mt={4}
        size="sm"
        color={left === 0 ? 'red' : 'yellow'}
        value={Math.min(100, (used / limit) * 100)}
        aria-label={`${formatNumber(used)} of ${formatNumber(limit)} requests used`}
      />
    </div>
  );
}

/** API keys that expire within two weeks or expired in the last two. */
export function ExpiringKeys({
  keys,
  hasMore,
}: {
  readonly keys: readonly EndingKey[];
  /** Whether these are only the first to expire. */
  readonly hasMore: boolean;
}) {
  return (
    <Panel title="Expiring keys">
      {keys.length === 0 ? (
        <Text size="sm" c="dimmed">
          No key expires within two weeks.
        </Text>
      ) : (
        <Rows>
          {keys.map((key) => (
            <Row key={key.id} end={<ExpirationBadge status={key.status} />}>
              <ExpiringKeyName endingKey={key} />
            </Row>
          ))}
        </Rows>
      )}
      {hasMore && (
        <Text size="sm">
          These are the {keys.length} that expire first.{' '}
          <Anchor component={Link} href="/settings/developers/keys?status=soon">
            See all keys that expire soon
          </Anchor>
        </Text>
      )}
    </Panel>
  );
}

function ExpiringKeyName({ endingKey: { id, name, status, expiresAt } }: { readonly endingKey: EndingKey }) {
  return (
    <>
      <Anchor
        component={Link}
        href={`/settings/developers/keys/${id}`}
        size="sm"
        fw={600}
        c="var(--mantine-color-text)"
        lineClamp={2}
      >
        {name}
      </Anchor>
      <Text size="xs" c="dimmed">
        {status === 'expired' ? 'Expired ' : 'Expires '}
        <Timestamp at={expiresAt} />
      </Text>
    </>
  );
}

function ExpirationBadge({ status }: Pick<EndingKey, 'status'>) {
  return status === 'expired' ? (
    <StatusBadge tone="bad">Expired</StatusBadge>
  ) : (
    <StatusBadge tone="warning">Soon</StatusBadge>
  );
}

function TrafficTotals({ totals }: { readonly totals: UsageTotals }) {
  const { requests, refused, limited, failed } = totals;
  const shareOf = (value: number) => (requests === 0 ? undefined : formatPercent(value, requests));
  return (
    <dl className={classes.totals}>
      <Total name="Requests" value={formatNumber(requests)} />
      <Total name="Error rate" value={formatPercent(refused + limited + failed, requests)} />
      <Total name="Refused (4xx)" value={formatNumber(refused)} note={shareOf(refused)} />
      <Total name="Rate limited (429)" value={formatNumber(limited)} note={shareOf(limited)} />
      <Total name="Failed (5xx)" value={formatNumber(failed)} note={shareOf(failed)} />
    </dl>
  );
}

function Total({
  name,
  value,
  note,
}: {
  readonly name: string;
  readonly value: string;
  readonly note?: string | undefined;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        {note !== undefined && (
          <Text span size="xs" c="dimmed" fw={400} ml={6}>
            {note}
          </Text>
        )}
      </dd>
    </div>
  );
}

/** 90 days are only offered on the page of one key or app. */
const ranges = usageRanges.filter(({ value }) => value !== '90d');

/** Requests over time with totals by status class. */
export function Traffic({
  hours,
  isLoading,
  selection,
}: {
  readonly hours: readonly UsageHour[];
  /** Whether the hours are still those of the previous selection. */
  readonly isLoading: boolean;
  readonly selection: UsageSelection;
}) {
  const shown = useShownSelection(selection, isLoading);
  const totals = totalsOf(hours);
  const hasErrors = totals.refused + totals.limited + totals.failed > 0;
  return (
    <Panel
      title="Requests"
      description={
        <>
          API requests with existing keys and tokens. The{' '}
          <Anchor
            component={Link}
            href={`/settings/developers/requests?span=${selection.picker.range}`}
            inherit
          >
            list of requests
          </Anchor>{' '}
          also has OAuth requests and those with old keys.
        </>
      }
      actions={<UsageRangePicker ranges={ranges} {...selection.picker} />}
    >
      <UsageNumbers isLoading={isLoading}>
        <TrafficTotals totals={totals} />
        <UsageChart points={usagePoints(hours, shown)} unit={shown.unit} />
      </UsageNumbers>
      {hasErrors && (
        <Text size="sm">
          <Anchor
            component={Link}
            href={`/settings/developers/requests?view=groups&span=${selection.picker.range}`}
          >
            See failed requests and their reasons
          </Anchor>
        </Text>
      )}
    </Panel>
  );
}
