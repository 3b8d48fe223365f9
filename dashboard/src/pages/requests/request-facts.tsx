import { Anchor, Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Address } from '../../parts/address.tsx';
import { CallerName } from '../../parts/caller-name.tsx';
import { CopyField } from '../../parts/copy-field.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Panel } from '../../parts/panel.tsx';
import { RequestStatus } from './request-status.tsx';
import type { ApiRequestDetail } from './requests.ts';

const types = {
  secret_key: 'Secret key',
  restricted_key: 'Restricted key',
  access_token: 'Access token',
} as const;

/** What is on record of a request. */
export function RequestFacts({ request }: { readonly request: ApiRequestDetail }) {
  const { id, at, status, clientIp, requiredScope, credential } = request;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Status', <RequestStatus key="status" status={status} />],
    ['Time', <Moment key="time" at={at} format="exact" />],
    ['Address', <Address key="address" ip={clientIp} />],
    ['Scope needed', requiredScope === null ? 'None' : <Code key="scope">{requiredScope}</Code>],
  ];
  return (
    <Panel title="The request">
      <Facts facts={facts} />
      <Facts facts={[['Key or app', <Credential key="credential" credential={credential} />]]} />
      <CopyField label="Request id" value={id} what="the request id" />
    </Panel>
  );
}

function Credential({ credential }: Pick<ApiRequestDetail, 'credential'>) {
  if (credential === null) return 'Unknown';
  const { type, id, limitId, caller } = credential;
  const note = (
    <>
      {types[type]} <Code fz="xs">{id}</Code>
    </>
  );
  return (
    <>
      {caller === null ? note : <CallerName caller={caller} note={note} />}
      {limitId !== null && (
        <Anchor component={Link} href={`/developers/requests?credential=${limitId}`} size="sm">
          Its other errors
        </Anchor>
      )}
    </>
  );
}
