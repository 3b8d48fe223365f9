import { Code } from '@mantine/core';
import { Fragment } from 'react';

/** An IP address or network. Wraps only after colons, where it stays readable. */
export function IpAddress({
  ip,
  absent = '–',
}: {
  readonly ip: string | null | undefined;
  readonly absent?: string;
}) {
  if (ip === null || ip === undefined || ip === '') return <>{absent}</>;
  return (
    <Code style={{ overflowWrap: 'normal' }}>
      {ip.split(/(?<=:)/).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts may repeat, and their order is fixed
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </Code>
  );
}
