import './style-nonce.ts';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

/** Milliseconds within which a second reload would not help either. */
const reloadIntervalMs = 10_000;

const storageKey = 'reloaded-at';

/**
 * Loads the page anew when it comes out of the browser's memory after a logout, and when a part of it is not there any
 * more since a new version has been deployed.
 */
function reloadWhenOutdated(): void {
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload();
  });
  addEventListener('vite:preloadError', (event) => {
    const last = Number(sessionStorage.getItem(storageKey) ?? 0);
    if (Date.now() - last < reloadIntervalMs) return;
    event.preventDefault();
    sessionStorage.setItem(storageKey, String(Date.now()));
    location.reload();
  });
}

reloadWhenOutdated();

const root = document.getElementById('root');

if (root === null) throw new Error('the page has no root');

createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
