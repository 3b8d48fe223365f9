import { Checkbox, Code, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useScopes } from '../../api/scopes.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { LoadingRows } from '../../parts/loading-rows.tsx';

/** Chooses what a restricted key may do. */
export function ScopeChoice({
  error,
  ...field
}: {
  readonly value?: string[];
  readonly onChange?: (value: string[]) => void;
  readonly error?: ReactNode;
}) {
  const query = useScopes();
  return (
    <Checkbox.Group
      label="Permissions"
      description="Choose as few as the program needs. They can be changed at any time."
      required
      error={error}
      data-faulty={error === undefined || error === null ? undefined : true}
      {...field}
    >
      <Stack gap="sm" mt="xs">
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
