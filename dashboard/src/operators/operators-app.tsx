import { Anchor, Button, Center, Group, Loader, Text } from '@mantine/core';
import { IconLock, IconMapSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { unwrap } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { useSessionQuery } from '../api/session.ts';
import { EmptyState, ErrorState } from '../components/states.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { logOut } from '../shell/session-context.ts';
import { consoleKey, operatorsApi } from './api.ts';
import BusinessPage from './business-page.tsx';
import JoinPage from './join-page.tsx';
import LogPage from './log-page.tsx';
import classes from './operators.module.css';
import QueuePage from './queue-page.tsx';
import SearchPage from './search-page.tsx';

const pages = [
  { path: '/', label: 'Queue' },
  { path: '/search', label: 'Search' },
  { path: '/log', label: 'Log' },
] as const;

function Bar({ email }: { readonly email: string }) {
  const [location] = useLocation();
  return (
    <header className={classes.bar}>
      <Text fw={600}>Operators</Text>
      <nav className={classes.links} aria-label="Operators">
        {pages.map(({ path, label }) => (
          <Anchor
            key={path}
            component={Link}
            href={path}
            aria-current={location === path ? 'page' : undefined}
          >
            {label}
          </Anchor>
        ))}
        <Anchor href="/dashboard">Dashboard</Anchor>
      </nav>
      <Group gap="sm" wrap="nowrap" className={classes.person ?? ''}>
        <Text size="sm" c="dimmed" truncate title={email}>
          {email}
        </Text>
        <Button size="xs" variant="default" flex="none" onClick={() => logOut()}>
          Log out
        </Button>
      </Group>
    </header>
  );
}

/** Says what a person lacks to use the console. */
function Refused({ error }: { readonly error: ApiError }) {
  const again = () => logOut(location.pathname + location.search);
  const action =
    error.reason === 'second_factor_required' ? (
      <Button component="a" href="/dashboard/profile">
        Open your profile
      </Button>
    ) : (
      <Button onClick={again}>Log out</Button>
    );
  return (
    <>
      <PageHeader title="Operators" />
      <EmptyState icon={IconLock} title="You cannot use this page now" action={action}>
        {error.message}
      </EmptyState>
    </>
  );
}

/** Renders its children for an operator. */
function OperatorGate({ children }: { readonly children: ReactNode }) {
  const { data, error, refetch } = useQuery({
    queryKey: consoleKey('session'),
    queryFn: ({ signal }) => unwrap(operatorsApi.GET('/session', { signal })),
    refetchOnWindowFocus: true,
  });
  if (error instanceof ApiError && error.status === 403) return <Refused error={error} />;
  if (data !== undefined) return children;
  return error === null ? <Waiting /> : <ErrorState error={error} retry={refetch} />;
}

const Waiting = () => (
  <Center mih="50dvh">
    <Loader aria-label="Loading" />
  </Center>
);

/** The operators' console, at /operators/…. */
export default function OperatorsApp() {
  const { data, error, refetch } = useSessionQuery();
  if (data === undefined) {
    return (
      <main className={classes.main}>
        {error === null ? <Waiting /> : <ErrorState error={error} retry={refetch} />}
      </main>
    );
  }
  return (
    <>
      <Bar email={data.person.email} />
      <main id="main" className={classes.main}>
        <Switch>
          <Route path="/join" component={JoinPage} />
          <Route>
            <OperatorGate>
              <ConsolePages />
            </OperatorGate>
          </Route>
        </Switch>
      </main>
    </>
  );
}

function ConsolePages() {
  return (
    <Switch>
      <Route path="/" component={QueuePage} />
      <Route path="/search" component={SearchPage} />
      <Route path="/log" component={LogPage} />
      <Route path="/businesses/:id">{({ id }) => <BusinessPage key={id} id={id} />}</Route>
      <Route>
        <PageHeader title="Page not found" />
        <EmptyState icon={IconMapSearch} title="This page does not exist" />
      </Route>
    </Switch>
  );
}
