import { Alert, Anchor, Code, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { Link } from 'wouter';
import { formatNumber, pluralize } from '../../components/format.ts';
import { LoadingRows } from '../../components/states.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { endpointName } from '../keys/api.ts';
import { type Forecast, type ForecastedChange, refusedPath, useForecast } from './api.ts';

/** Shows which requests of the last 7 days a change would have refused, while it is edited. */
export function ForecastPanel({ forecasted }: { readonly forecasted: ForecastedChange }) {
  const { data, error } = useForecast(forecasted);
  if (error !== null) {
    return (
      <Text size="sm" c="dimmed" role="status">
        Which requests this would have refused cannot be shown at the moment.
      </Text>
    );
  }
  if (data === undefined) return <LoadingRows rows={1} height={40} />;
  const isHarmless = data.refused === 0;
  return (
    <Alert
      color={isHarmless ? 'green' : 'yellow'}
      icon={isHarmless ? <IconCircleCheck /> : <IconAlertTriangle />}
      p="sm"
      role="status"
    >
      <Stack gap={4}>
        <Text size="sm">
          {isHarmless ? <Harmless forecast={data} /> : <Refused forecast={data} of={forecasted} />}
        </Text>
        <Gaps forecast={data} />
      </Stack>
    </Alert>
  );
}

function Harmless({ forecast: { requests } }: { readonly forecast: Forecast }) {
  if (requests === 0) return 'There were no requests in the last 7 days, so none would have been refused.';
  return `None of the ${pluralize(requests, 'request')} of the last 7 days would have been refused.`;
}

function Refused({
  forecast,
  of: forecasted,
}: {
  readonly forecast: Forecast;
  readonly of: ForecastedChange;
}) {
  const { requests, refused, places } = forecast;
  const path = refusedPath(forecasted, forecast);
  const others = refused - places.reduce((sum, place) => sum + place.requests, 0);
  return (
    <>
      In the last 7 days,{' '}
      <strong>
        {formatNumber(refused)} of {pluralize(requests, 'request')} would have been refused
      </strong>
      :{' '}
      {places.map(({ method, route, address, requests: count }, index) => (
        <span key={`${method} ${route} ${address}`}>
          {index > 0 && ', '}
          {endpointName({ method, route })} from <Code>{address}</Code> ({formatNumber(count)})
        </span>
      ))}
      {others > 0 && ` and ${formatNumber(others)} more`}.{' '}
      {path !== undefined && (
        <Anchor component={Link} href={path} inherit underline="always">
          Show
        </Anchor>
      )}
    </>
  );
}

/** The part of the span that the log lacks. */
function Gaps({ forecast: { from, since, missedMinutes, undecided } }: { readonly forecast: Forecast }) {
  const isPartial = since !== null && Date.parse(since) > Date.parse(from);
  if (!isPartial && missedMinutes === 0 && undecided === 0) return null;
  return (
    <Text size="xs" c="dimmed">
      {isPartial && (
        <>
          Requests are on record since <Timestamp at={since} format="exact" /> only.{' '}
        </>
      )}
      {missedMinutes > 0 &&
        `Some requests of ${pluralize(missedMinutes, 'minute')} are not on record, and not considered. `}
      {undecided > 0 &&
        `${pluralize(undecided, 'request')} of rarer callers ${undecided === 1 ? 'is' : 'are'} not considered.`}
    </Text>
  );
}
