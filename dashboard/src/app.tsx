import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { Router } from 'wouter';
import { queryClient } from './api/queries.ts';
import { lazyComponent, useLazyComponent } from './components/lazy-component.ts';
import { routes } from './routes.tsx';
import { ErrorBoundary } from './shell/error-boundary.tsx';
import { SessionGate } from './shell/session-gate.tsx';
import { Shell } from './shell/shell.tsx';
import { styleNonce } from './style-nonce.ts';
import { cssVariables } from './theme/css-variables.ts';
import { theme } from './theme/theme.ts';

// The same key as in colour-scheme.js, which runs before the first paint.
const colourScheme = localStorageColorSchemeManager({ key: 'colour-scheme' });

/** The operators' console is one page with the dashboard, and its code is loaded by operators alone. */
const operators = lazyComponent(() => import('./operators/operators-app.tsx'));

const isConsole = /^\/operators(?:\/|$)/.test(location.pathname);

function Operators() {
  const Console = useLazyComponent(operators);
  return Console === undefined ? null : <Console />;
}

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      colorSchemeManager={colourScheme}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        {isConsole ? (
          <Router base="/operators">
            <ErrorBoundary>
              <Operators />
            </ErrorBoundary>
          </Router>
        ) : (
          <Router base="/dashboard">
            <SessionGate routes={routes}>
              <Shell routes={routes} />
            </SessionGate>
          </Router>
        )}
      </QueryClientProvider>
    </MantineProvider>
  );
}
