import { Code } from '@mantine/core';

/** An IP address or a block of them. Never broken where its parts would be misread. */
export function Address({
  ip,
  absent = '–',
}: {
  readonly ip: string | null | undefined;
  readonly absent?: string;
}) {
  if (ip === null || ip === undefined || ip === '') return <>{absent}</>;
  return <Code>{ip}</Code>;
}
