import { Anchor, Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { CopyField } from '../../components/copy.tsx';
import { CredentialName } from '../../components/credential-name.tsx';
import { formatDuration, formatSize } from '../../components/format.ts';
import { IpAddress } from '../../components/ip-address.tsx';
import { Panel } from '../../components/panel.tsx';
import { DescriptionList } from '../../components/rows.tsx';
import { HttpStatusBadge } from '../../components/status-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { requestsPath } from './filter.ts';
import type { ApiRequestDetail } from './requests.ts';

const credentialTypes = {
  secret_key: 'Secret key',
  restricted_key: 'Restricted key',
  access_token: 'Access token',
  client: 'OAuth client',
} as const;

/** Recorded facts of a request. */
export function RequestFacts({ request }: { readonly request: ApiRequestDetail }) {
  const { id, at, status, clientIp, credential, responseBytes } = request;
  const facts: readonly Fact[] = [
    ['Status', <HttpStatusBadge key="status" status={status} hasFailed={request.explanation !== null} />],
    ['Time', <Timestamp key="time" at={at} format="exact" />],
    ['Duration', durationText(request)],
    ...(credential?.type === 'client' ? [] : [['Response body', formatSize(responseBytes)] as const]),
    ['IP address', <IpAddress key="address" ip={clientIp} />],
    credential?.type === 'client' ? secretFact(request) : scopeFact(request),
  ];
  const { error, userAgent } = request;
  return (
    <Panel title="Request">
      <DescriptionList items={facts} />
      <DescriptionList
        items={[
          ['Key or app', <Credential key="credential" credential={credential} />],
          ['User-Agent', userAgent === '' ? 'None' : userAgent],
          ...(error === null ? [] : [['Error as sent', <Code key="error">{error}</Code>] as const]),
        ]}
      />
      <CopyField label="Request ID" value={id} what="the request ID" />
    </Panel>
  );
}

type Fact = readonly [string, ReactNode];

function scopeFact({ requiredScope }: ApiRequestDetail): Fact {
  return ['Required scope', requiredScope === null ? 'None' : <Code key="scope">{requiredScope}</Code>];
}

function secretFact({ secretLastFour }: ApiRequestDetail): Fact {
  return ['Client secret', secretLastFour === null ? 'None' : <Code key="secret">cs_…{secretLastFour}</Code>];
}

function durationText({ durationMs, upstreamMs }: ApiRequestDetail): string {
  const whole = formatDuration(durationMs);
  return upstreamMs === null ? whole : `${whole}, of which the service ${formatDuration(upstreamMs)}`;
}

function Credential({ credential }: Pick<ApiRequestDetail, 'credential'>) {
  if (credential === null) return 'Unknown';
  const { type, id, limitId, caller } = credential;
  const note = (
    <>
      {credentialTypes[type]} <Code fz="xs">{id}</Code>
    </>
  );
  return (
    <>
      {caller === null ? (
        note
      ) : (
        <CredentialName credential={caller} note={note} isClient={type === 'client'} />
      )}
      {limitId !== null && (
        <Anchor component={Link} href={requestsPath({ credential: limitId })} size="sm">
          Other requests of this credential
        </Anchor>
      )}
    </>
  );
}
