// Before the first paint: the colour scheme that was chosen here, else the system's.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('colour-scheme');
  } catch {
    // Storage may be forbidden; then the system decides.
  }
  const isKnown = chosen === 'light' || chosen === 'dark';
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  document.documentElement.setAttribute('data-mantine-color-scheme', isKnown ? chosen : system);
})();
