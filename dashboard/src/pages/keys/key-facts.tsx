import { Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { Moment } from '../../parts/moment.tsx';
import type { ApiKeyDetail } from './api-keys.ts';
import { Expires } from './expires.tsx';
import { KeyStatus } from './key-status.tsx';
import { keyHint, typeNames } from './key-types.ts';
import classes from './keys.module.css';
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
    <dl className={`${classes.panel} ${classes.facts}`}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
