import './style-nonce.ts';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './global.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { pauseWhileLeft } from './api/attendance.ts';
import { App } from './app.tsx';
import { undoBackWhileShown } from './components/stay.ts';

/** Milliseconds after a reload in which there is no second one. */
const reloadIntervalMs = 10_000;

const storageKey = 'reloaded-at';

/**
 * Reloads the page when it is restored from the back/forward cache, possibly after a logout, and when a module is missing
 * because a new version was deployed.
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
pauseWhileLeft();
undoBackWhileShown();

const root = document.getElementById('root');

if (root === null) throw new Error('missing #root');

createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
