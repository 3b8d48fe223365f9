// Sets the stored colour scheme, or that of the system, before the first paint.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem('colour-scheme');
  } catch {
    // Storage may be blocked: the system decides.
  }
  const isKnown = chosen === 'light' || chosen === 'dark';
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  document.documentElement.setAttribute('data-mantine-color-scheme', isKnown ? chosen : system);
})();
