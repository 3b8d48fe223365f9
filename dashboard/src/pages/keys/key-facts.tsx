import { Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { Facts } from '../../parts/facts.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Surface } from '../../parts/surface.tsx';
import type { ApiKeyDetail } from './api-keys.ts';
import { Expires } from './expires.tsx';
import { KeyStatus } from './key-status.tsx';
import { keyHint, typeNames } from './key-types.ts';
import { LastUsed } from './last-used.tsx';

/** What there is to know of a key at a glance. */
export function KeyFacts({ apiKey }: { readonly apiKey: ApiKeyDetail }) {
  const { status, keyType, createdAt, rotatedAt } = apiKey;
  const facts: readonly (readonly [string, ReactNode])[] = [
    ['Status', <KeyStatus key="status" status={status} />],
    ['Type', typeNames[keyType]],
    ['Key', <Code key="hint">{keyHint(apiKey)}</Code>],
    ['Last used', <LastUsed key="used" apiKey={apiKey} />],
    [status === 'expired' ? 'Expired' : 'Expires', <Expires key="expires" apiKey={apiKey} />],
    ['Created', <Moment key="created" at={createdAt} format="date" />],
    ['Rotated', <Moment key="rotated" at={rotatedAt} format="date" absent="Never" />],
  ];
  return (
    <Surface>
      <Facts facts={facts} isDense />
    </Surface>
  );
}
