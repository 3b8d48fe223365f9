import { Checkbox, Code, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useScopes } from '../api/scopes.ts';
import { Loaded } from './loaded.tsx';
import { LoadingRows } from './loading-rows.tsx';

/** Chooses permissions, each by its plain words. */
export function ScopeChoice({
  description,
  error,
  ...field
}: {
  readonly description: ReactNode;
  readonly value?: string[];
  readonly onChange?: (value: string[]) => void;
  readonly error?: ReactNode;
}) {
  const query = useScopes();
  return (
    <Checkbox.Group
      label="Permissions"
      description={description}
      required
      error={error}
      data-faulty={error === undefined || error === null ? undefined : true}
      {...field}
    >
      <Stack gap="sm" mt="xs" mb={4}>
        <Loaded query={query} loading={<LoadingRows rows={4} height={40} />}>
          {(scopes) =>
            scopes.map(({ scope, words }) => (
              <Checkbox key={scope} value={scope} label={words} description={<Code fz="xs">{scope}</Code>} />
            ))
          }
        </Loaded>
      </Stack>
    </Checkbox.Group>
  );
}
