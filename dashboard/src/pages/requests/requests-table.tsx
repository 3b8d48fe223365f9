import { Anchor, useMatches } from '@mantine/core';
import { type KeyboardEvent, memo, type ReactNode } from 'react';
import { Link } from 'wouter';
import { credentialPath } from '../../components/credential-name.tsx';
import { formatDuration, pluralize } from '../../components/format.ts';
import { HttpStatusBadge } from '../../components/status-badge.tsx';
import { type ApiRequest, type LogRow, reasonOf, type Unlisted } from './log.ts';
import classes from './requests-table.module.css';
import { useRenderedRows } from './use-rendered-rows.ts';

interface RequestsTableProps {
  readonly rows: readonly LogRow[];
  /** Ids of requests that were added last, which are marked. */
  readonly added: readonly string[];
  /** Whether these are all rows. */
  readonly isWhole: boolean;
}

/** Pixels of a row, in the table and as a card, as in the style sheet. */
const rowHeights = { table: 40, card: 92 };

/** Requests, linked to their details. Arrow keys move between them. */
export function RequestsTable(props: RequestsTableProps) {
  const isNarrow = useMatches({ base: true, lg: false }, { getInitialValueInEffect: false });
  // biome-ignore lint/a11y/noStaticElementInteractions: the links within take the keys
  return <div onKeyDown={moveFocus}>{isNarrow ? <Cards {...props} /> : <Table {...props} />}</div>;
}

/** Moves the focus to the next or previous request. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || !(event.target instanceof HTMLElement)) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('a[data-request]')];
  const row = event.target.closest('[data-row]');
  const next = links[links.findIndex((link) => row?.contains(link)) + step];
  if (row === null || next === undefined) return;
  event.preventDefault();
  next.focus();
}

const headers = ['Time', 'Request', 'Status', 'Duration', 'Key or app', 'IP address', 'Reason'];

function Table({ rows, added, isWhole }: RequestsTableProps) {
  const { ref, first, end } = useRenderedRows<HTMLTableSectionElement>(rows.length, rowHeights.table);
  return (
    <div className={classes.frame}>
      <table aria-label="Requests" aria-rowcount={isWhole ? rows.length + 1 : -1} className={classes.table}>
        <thead>
          <tr aria-rowindex={1}>
            {headers.map((header) => (
              <th key={header} scope="col" data-column={header}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={ref}>
          <Gap rows={first} />
          {rows.slice(first, end).map((row, index) => (
            <TableRow
              key={keyOf(row)}
              row={row}
              index={first + index + 2}
              isNew={'id' in row && added.includes(row.id)}
            />
          ))}
          <Gap rows={rows.length - end} />
        </tbody>
      </table>
    </div>
  );
}

/** Stands in place of rows that are not rendered. */
function Gap({ rows }: { readonly rows: number }) {
  if (rows === 0) return null;
  return (
    <tr aria-hidden>
      <td colSpan={headers.length} style={{ height: rows * rowHeights.table }} />
    </tr>
  );
}

interface RowProps {
  readonly row: LogRow;
  readonly isNew: boolean;
}

/** Rendered again only when it changes: there are hundreds. @param index position among all rows, from 1 */
const TableRow = memo(({ row, isNew, index }: RowProps & { readonly index: number }) => {
  if ('minute' in row) {
    return (
      <tr aria-rowindex={index} className={classes.unlisted}>
        <td colSpan={headers.length}>{unlistedText(row)}</td>
      </tr>
    );
  }
  const { at, status, durationMs, clientIp } = row;
  const reason = reasonOf(row);
  return (
    <tr aria-rowindex={index} data-row data-new={isNew || undefined}>
      <td>
        <Time at={at} />
      </td>
      <td>
        <Lines>
          <RequestLink request={row} />
        </Lines>
      </td>
      <td>
        <HttpStatusBadge status={status} hasFailed={reason !== undefined} />
      </td>
      <td className={classes.number}>{formatDuration(durationMs)}</td>
      <td>
        <Lines>
          <Credential request={row} />
        </Lines>
      </td>
      <td className={classes.address}>
        <Lines>{clientIp}</Lines>
      </td>
      <td title={reason}>
        <Lines>{reason}</Lines>
      </td>
    </tr>
  );
});

const Lines = ({ children }: { readonly children: ReactNode }) => (
  <div className={classes.lines}>{children}</div>
);

/** The list on a narrow screen. */
function Cards({ rows, added }: RequestsTableProps) {
  const { ref, first, end } = useRenderedRows<HTMLUListElement>(rows.length, rowHeights.card);
  return (
    <ul
      ref={ref}
      aria-label="Requests"
      className={classes.cards}
      style={{
        paddingTop: first * rowHeights.card,
        paddingBottom: (rows.length - end) * rowHeights.card,
      }}
    >
      {rows.slice(first, end).map((row) => (
        <Card key={keyOf(row)} row={row} isNew={'id' in row && added.includes(row.id)} />
      ))}
    </ul>
  );
}

const Card = memo(({ row, isNew }: RowProps) => {
  if ('minute' in row) return <li className={classes.unlisted}>{unlistedText(row)}</li>;
  const { at, status, durationMs } = row;
  const reason = reasonOf(row);
  return (
    <li data-row data-new={isNew || undefined}>
      <div className={classes.cardHead}>
        <HttpStatusBadge status={status} hasFailed={reason !== undefined} />
        <span className={classes.number}>{formatDuration(durationMs)}</span>
        <Time at={at} />
      </div>
      <div className={classes.cardLine}>
        <RequestLink request={row} />
      </div>
      <div className={classes.cardLine} title={reason}>
        {reason && `${reason} · `}
        <Credential request={row} isInText />
      </div>
    </li>
  );
});

const keyOf = (row: LogRow) => ('minute' in row ? row.minute : row.id);

const timeFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

const minuteFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short' });

/** Local time to the second. Without the tooltip of a Timestamp: hundreds of rows are rendered at once. */
function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at} className={classes.time}>
      {timeFormat.format(new Date(at))}
    </time>
  );
}

function unlistedText({ minute, requests }: Unlisted): string {
  const time = minuteFormat.format(new Date(minute));
  return `${pluralize(requests, 'request')} of ${time} ${requests === 1 ? 'is' : 'are'} not listed: too many at once.`;
}

function RequestLink({ request: { id, method, path } }: { readonly request: ApiRequest }) {
  const line = `${method} ${path}`;
  return (
    <Anchor
      component={Link}
      href={`/settings/developers/requests/${id}`}
      data-request
      title={line}
      className={classes.code ?? ''}
      c="var(--mantine-color-text)"
    >
      {line}
    </Anchor>
  );
}

function Credential({
  request: { credential },
  isInText = false,
}: {
  readonly request: ApiRequest;
  readonly isInText?: boolean;
}) {
  if (credential === null) return 'Unknown';
  const { caller, id, type } = credential;
  if (caller === null) return id;
  const name = caller.name ?? (caller.kind === 'api_key' ? 'Deleted API key' : 'Disconnected app');
  if (!caller.exists) return <span title={caller.id}>{name}</span>;
  return (
    <Anchor
      component={Link}
      href={credentialPath(caller, type === 'client')}
      title={name}
      underline={isInText ? 'always' : 'hover'}
    >
      {name}
    </Anchor>
  );
}
